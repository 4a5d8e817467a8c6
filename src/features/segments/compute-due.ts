import { sql } from "drizzle-orm";
import { newId } from "../../core/ids";
import { minuteMs } from "../../core/time";
import type { Db } from "../../db/client";
import { commit, query } from "../../db/commit";
import type { Platform } from "../../platform/context";
import { freshness, movesWithTime, tickJitterMs } from "./freshness";
import { startComputations } from "./start-computation";

/** A tracked segment is looked at again after this. */
const computeEveryMs = 5 * minuteMs;

/** One statement takes so many, and one sweep does so many rounds; the next tick goes on. */
const limit = 500;
const rounds = 20;

/**
 * The sweep that has the members of tracked segments computed, over all projects: all but those to which nothing can have
 * happened, as neither a contact nor an event of the project has changed, and time alone moves nobody.
 */
export async function computeDueSegments(platform: Platform): Promise<void> {
  for (const db of platform.databases) {
    for (let round = 0; round < rounds; round++) {
      if ((await computeDue(platform, db)) < limit) break;
    }
  }
}

async function computeDue(platform: Platform, db: Db): Promise<number> {
  const now = platform.now.getTime();
  const due = await query(
    db,
    sql`UPDATE segments SET next_compute_at = ${now + computeEveryMs}
      WHERE id IN (SELECT id FROM segments INDEXED BY ix_segments_uncomputed
        WHERE next_compute_at IS NOT NULL AND next_compute_at <= ${now + tickJitterMs} ORDER BY next_compute_at LIMIT ${limit})
      RETURNING id, project_id,
        computed_of IS NOT ${freshness(sql`segments.project_id`)} OR ${movesWithTime(sql`condition`)} AS may_have_changed`,
  );
  const starts = due.flatMap(({ id, project_id: projectId, may_have_changed: mayHaveChanged }) =>
    mayHaveChanged ? [{ jobId: newId(), projectId: String(projectId), segmentId: String(id) }] : [],
  );
  if (starts.length > 0) {
    const options = { now: platform.now, silent: false, isFollowed: false };
    const [started = []] = await commit(db, startComputations(db, starts, options));
    await platform.enqueue(
      started.map(({ id, project_id: projectId }) => ({
        job: { type: "segments.compute", projectId: String(projectId), jobId: String(id) },
      })),
    );
  }
  return due.length;
}
