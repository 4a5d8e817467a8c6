import { type SQL, sql } from "drizzle-orm";
import { statement } from "../../db/commit";
import type { Context } from "../../platform/context";
import { freshness, movesWithTime } from "./freshness";
import { startComputations, stateOf } from "./start-computation";

/**
 * The statements by which somebody gets the members as they are at this moment, at the earliest. The last returns the
 * job that says so, as `job_id`; null when the segment is tracked no more.
 *
 * One computation of a segment goes on at a time. One that has not begun is joined; so is one that has, if nothing can
 * have changed since. Any other may have passed contacts before they changed, or tells nobody: behind it comes another,
 * with a job of its own that is there from now on and is announced when the first has ended.
 */
export function joinComputation(ctx: Context, segmentId: string, jobId: string): D1PreparedStatement[] {
  const active = sql`FROM segments s CROSS JOIN jobs j ON j.id = s.compute_job_id AND +j.project_id = s.project_id
    WHERE s.project_id = ${ctx.project.id} AND s.id = ${segmentId} AND s.track_membership
      AND j.status IN ('queued', 'processing')`;
  const isTooOld = sql`(j.state->>'silent' OR (j.status = 'processing' AND (${movesWithTime(sql`s.condition`)}
    OR j.state->>'$.walk.of' IS NOT ${freshness(sql`${ctx.project.id}`)})))`;
  const isAlone = sql`${isTooOld} AND j.input->>'nextJobId' IS NULL`;
  const change = (input: SQL, which: SQL) =>
    statement(
      ctx.db,
      sql`UPDATE jobs SET input = ${input} WHERE project_id = ${ctx.project.id} AND id = (SELECT j.id ${active} AND ${which})`,
    );
  return [
    ...startComputations(ctx.db, [{ jobId, projectId: ctx.project.id, segmentId }], {
      now: ctx.now,
      silent: false,
      isFollowed: true,
    }),
    change(sql`json_set(input, '$.isFollowed', json('true'))`, sql`NOT ${isTooOld}`),
    statement(
      ctx.db,
      sql`INSERT INTO jobs (id, project_id, type, status, input, state, errors, created_at, next_announce_at)
        SELECT ${jobId}, s.project_id, 'segments.compute', 'queued',
          json_object('segmentId', s.id, 'isFollowed', json('true')), ${stateOf({ silent: false })}, '[]',
          ${ctx.now.getTime()}, NULL
        ${active} AND ${isAlone}`,
    ),
    change(sql`json_set(input, '$.nextJobId', ${jobId})`, isAlone),
    statement(ctx.db, sql`SELECT (SELECT iif(${isTooOld}, j.input->>'nextJobId', j.id) ${active}) AS job_id`),
  ];
}
