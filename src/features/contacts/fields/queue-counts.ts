import { sql } from "drizzle-orm";
import { query } from "../../../db/commit";
import { jobGraceMs } from "../../../engine/jobs/job";
import type { Platform } from "../../../platform/context";
import { mostLive } from "./live";

const limit = 500;
const type = "contacts.count-fields";

/**
 * The sweep that has the fields of large projects counted, those first that were counted longest ago. A project has one
 * row for all its counts, so that they neither overlap nor pile up. Whether anything has changed is not asked: a count
 * is cheap, and a large project changes all the time.
 */
export async function queueFieldCounts(platform: Platform): Promise<void> {
  const now = platform.now.getTime();
  for (const db of platform.databases) {
    const queued = await query(
      db,
      sql`INSERT INTO jobs (id, project_id, type, status, errors, created_at, next_announce_at)
        SELECT c.job_id, c.project_id, ${type}, 'queued', '[]', ${now}, ${now + jobGraceMs}
        FROM (SELECT project_id, 'count-fields-' || project_id AS job_id FROM contact_counts WHERE total > ${mostLive}) c
        LEFT JOIN jobs j ON j.id = c.job_id
        WHERE j.id IS NULL OR j.status NOT IN ('queued', 'processing')
        ORDER BY j.created_at LIMIT ${limit}
        ON CONFLICT (id) DO UPDATE SET status = 'queued', progress = 0, state = '{}', result = NULL,
          created_at = excluded.created_at, completed_at = NULL, next_announce_at = excluded.next_announce_at
          WHERE status NOT IN ('queued', 'processing')
        RETURNING id, project_id`,
    );
    await platform.enqueue(
      queued.map((row) => ({ job: { type, projectId: String(row.project_id), jobId: String(row.id) } })),
    );
  }
}
