import { sql } from "drizzle-orm";
import { query } from "../../db/commit";
import { readRow } from "../../db/rows";
import { jobs } from "../../db/tables";
import type { Platform } from "../../platform/context";
import { nextAnnouncement } from "./job";

const limit = 500;

/** The sweep under lost messages of jobs, over all projects. */
export async function requeueLostJobs(platform: Platform): Promise<void> {
  const now = platform.now.getTime();
  for (const db of platform.databases) {
    const lost = await query(
      db,
      sql`UPDATE jobs SET next_announce_at = ${nextAnnouncement(now)}
        WHERE id IN (SELECT id FROM jobs INDEXED BY ix_jobs_open
          WHERE status IN ('queued', 'processing') AND next_announce_at <= ${now}
          ORDER BY next_announce_at LIMIT ${limit})
        RETURNING *`,
    );
    const rows = lost.map((row) => readRow(jobs, row));
    await platform.enqueue(rows.map(({ id, projectId, type }) => ({ job: { type, projectId, jobId: id } })));
  }
}
