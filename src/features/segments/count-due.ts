import { sql } from "drizzle-orm";
import { minuteMs } from "../../core/time";
import type { Db } from "../../db/client";
import { query } from "../../db/commit";
import { jobGraceMs } from "../../engine/jobs/job";
import type { Platform } from "../../platform/context";
import { countJobId, countState } from "./count";
import { freshness, movesWithTime, tickJitterMs } from "./freshness";

/** The count of a dynamic segment is looked at again after this. */
const countEveryMs = 15 * minuteMs;

/** One statement takes so many, and one sweep does so many rounds; the next tick goes on. */
const limit = 500;
const rounds = 20;

/**
 * The sweep that has the members of dynamic segments counted, over all projects: all but those to which nothing can have
 * happened, and those that are tracked, which are counted when they are computed.
 */
export async function countDueSegments(platform: Platform): Promise<void> {
  for (const db of platform.databases) {
    for (let round = 0; round < rounds; round++) {
      if ((await countDue(platform, db)) < limit) break;
    }
  }
}

async function countDue(platform: Platform, db: Db): Promise<number> {
  const now = platform.now.getTime();
  const due = await query(
    db,
    sql`UPDATE segments SET next_count_at = ${now + countEveryMs}
      WHERE id IN (SELECT id FROM segments INDEXED BY ix_segments_uncounted
        WHERE next_count_at IS NOT NULL AND next_count_at <= ${now + tickJitterMs} ORDER BY next_count_at LIMIT ${limit})
      RETURNING id, project_id, NOT track_membership AND (counted_of IS NOT ${freshness(sql`segments.project_id`)}
        OR ${movesWithTime(sql`condition`)}) AS may_have_changed`,
  );
  const counts = due.flatMap(({ id, project_id: projectId, may_have_changed: mayHaveChanged }) =>
    mayHaveChanged ? [{ jobId: countJobId(String(id)), projectId: String(projectId), segmentId: String(id) }] : [],
  );
  if (counts.length > 0) {
    const queued = await query(
      db,
      sql`INSERT INTO jobs (id, project_id, type, status, input, state, errors, created_at, next_announce_at)
        SELECT n.value->>'jobId', n.value->>'projectId', 'segments.count', 'queued',
          json_object('segmentId', n.value->>'segmentId', 'isFollowed', json('false')), ${JSON.stringify(countState)}, '[]',
          ${now}, ${now + jobGraceMs}
        FROM json_each(${JSON.stringify(counts)}) n
        WHERE true ON CONFLICT DO NOTHING
        RETURNING id, project_id`,
    );
    await platform.enqueue(
      queued.map(({ id, project_id: projectId }) => ({
        job: { type: "segments.count", projectId: String(projectId), jobId: String(id) },
      })),
    );
  }
  return due.length;
}
