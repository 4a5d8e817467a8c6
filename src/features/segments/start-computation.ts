import { sql } from "drizzle-orm";
import type { Db } from "../../db/client";
import { statement } from "../../db/commit";
import { jobGraceMs } from "../../engine/jobs/job";
import type { Context } from "../../platform/context";
import { countJobId } from "./count";
import { stateJson } from "./walk-step";

/** The job that computes the members of the segment `s` right now. */
export const activeComputation = sql`SELECT j.id FROM jobs j
  WHERE j.id = s.compute_job_id AND +j.project_id = s.project_id AND j.status IN ('queued', 'processing')`;

/**
 * The statements that take the members who are there without events, for the batch that begins to track them: so that
 * neither is there without the other. A computation that goes on is made a silent one, and begins again: it was started
 * before tracking ended, and must not tell what came after.
 */
export function startSilently(ctx: Context, segmentId: string, jobId: string): D1PreparedStatement[] {
  return [
    statement(
      ctx.db,
      sql`UPDATE jobs SET input = json_set(input, '$.isFollowed', json('true')), state = ${stateOf({ silent: true })},
          result = NULL
        WHERE project_id = ${ctx.project.id} AND id = (SELECT (${activeComputation}) FROM segments s
          WHERE s.project_id = ${ctx.project.id} AND s.id = ${segmentId})`,
    ),
    ...startComputations(ctx.db, [{ jobId, projectId: ctx.project.id, segmentId }], {
      now: ctx.now,
      silent: true,
      isFollowed: true,
    }),
  ];
}

/**
 * The statements that start computations of several segments, in any projects, but of those that are tracked no more or
 * are being computed. The first returns the jobs, as `id` and `project_id`.
 */
export function startComputations(
  db: Db,
  starts: { jobId: string; projectId: string; segmentId: string }[],
  { now, silent, isFollowed }: { now: Date; silent: boolean; isFollowed: boolean },
): D1PreparedStatement[] {
  const named = starts.map((start) => ({ ...start, countJobId: countJobId(start.segmentId) }));
  const started = sql`json_each(${JSON.stringify(named)}) n`;
  const at = now.getTime();
  return [
    statement(
      db,
      sql`INSERT INTO jobs (id, project_id, type, status, input, state, errors, created_at, next_announce_at)
        SELECT n.value->>'jobId', s.project_id, 'segments.compute', 'queued',
          json_object('segmentId', s.id, 'isFollowed', json(${JSON.stringify(isFollowed)})), ${stateOf({ silent })}, '[]',
          ${at}, ${at + jobGraceMs}
        FROM ${started} CROSS JOIN segments s
          ON s.id = n.value->>'segmentId' AND +s.project_id = n.value->>'projectId'
        WHERE s.condition IS NOT NULL AND s.track_membership AND NOT EXISTS (${activeComputation})
        RETURNING id, project_id`,
    ),
    statement(
      db,
      sql`UPDATE segments SET compute_job_id = n.value->>'jobId'
        FROM ${started}
        WHERE segments.id = n.value->>'segmentId' AND +segments.project_id = n.value->>'projectId'
          AND EXISTS (SELECT 1 FROM jobs j WHERE j.id = n.value->>'jobId')`,
    ),
    // A computation counts, too.
    statement(
      db,
      sql`DELETE FROM jobs WHERE id IN (SELECT n.value->>'countJobId'
        FROM ${started} CROSS JOIN jobs j ON j.id = n.value->>'jobId' AND +j.project_id = n.value->>'projectId')`,
    ),
  ];
}

/** As a job begins: written here and not by the database, as each step compares it with what it writes itself. */
export function stateOf({ silent }: { silent: boolean }): string {
  return JSON.stringify(stateJson({ silent, walk: null }));
}
