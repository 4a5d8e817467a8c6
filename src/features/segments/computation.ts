import { type SQL, sql } from "drizzle-orm";
import type { Id } from "../../core/ids";
import { asId, asNumber, columns, orNull } from "../../db/rows";
import { type Statement, statement } from "../../db/statement";
import { jobGraceMs } from "../../engine/jobs/job";
import type { Context } from "../../platform/context";
import { countJobId } from "./count";
import { freshness, movesWithTime } from "./freshness";
import { firstState, type Start, type Starting } from "./scan-job";

/** The job that computes the members of the segment `s` right now. */
export const activeComputation = sql`SELECT j.id FROM jobs j
  WHERE j.project_id = s.project_id AND j.id = s.compute_job_id AND j.status IN ('queued', 'processing')`;

/** Leaves out segments that are tracked no more or are being computed. */
export function insertComputations(
  starts: Start[],
  { now, silent, isFollowed }: { now: Date; silent: boolean; isFollowed: boolean },
): Starting {
  const named = starts.map((start) => ({ ...start, countJobId: countJobId(start.segmentId) }));
  const started = sql`json_each(${JSON.stringify(named)}) n`;
  const at = now.getTime();
  return {
    jobs: statement(
      sql`INSERT INTO jobs (id, project_id, type, status, input, state, errors, created_at, next_announce_at)
        SELECT n.value->>'jobId', s.project_id, 'segments.compute', 'queued',
          json_object('segmentId', s.id, 'isFollowed', json(${JSON.stringify(isFollowed)})), ${stateOf({ silent })}, '[]',
          ${at}, ${at + jobGraceMs}
        FROM ${started} CROSS JOIN segments s
          ON s.project_id = n.value->>'projectId' AND s.id = n.value->>'segmentId'
        WHERE s.condition IS NOT NULL AND s.track_membership AND NOT EXISTS (${activeComputation})
        RETURNING id, project_id`,
      columns({ id: asId, projectId: asNumber }),
    ),
    rest: [
      statement(
        sql`UPDATE segments SET compute_job_id = n.value->>'jobId'
          FROM ${started}
          WHERE segments.project_id = n.value->>'projectId' AND segments.id = n.value->>'segmentId'
            AND EXISTS (SELECT 1 FROM jobs j WHERE j.project_id = segments.project_id AND j.id = n.value->>'jobId')`,
      ),
      // A computation counts, too.
      statement(
        sql`DELETE FROM jobs WHERE (project_id, id) IN (SELECT j.project_id, n.value->>'countJobId'
          FROM ${started} CROSS JOIN jobs j ON j.project_id = n.value->>'projectId' AND j.id = n.value->>'jobId')`,
      ),
    ],
  };
}

/**
 * Takes the present members without events. It goes into the batch that begins to track them, so that neither is there
 * without the other. A computation that goes on becomes silent and begins again: it was started before tracking ended, and
 * must not tell what came after.
 */
export function upsertSilentComputation(ctx: Context, segmentId: Id, jobId: Id): Statement[] {
  const start: Start = { jobId, projectId: ctx.project.number, segmentId };
  const { jobs, rest } = insertComputations([start], { now: ctx.now, silent: true, isFollowed: true });
  const active = statement(
    sql`UPDATE jobs SET input = json_set(input, '$.isFollowed', json('true')), state = ${stateOf({ silent: true })},
        result = NULL
      WHERE project_id = ${ctx.project.number} AND id = (SELECT (${activeComputation}) FROM segments s
        WHERE s.project_id = ${ctx.project.number} AND s.id = ${segmentId})`,
  );
  return [active, jobs, ...rest];
}

/** Statements by which a call gets a computation of the members as they are now or later. */
export interface Joining {
  writes: Statement[];
  /** Comes last, and returns the computation to follow; null when the segment is tracked no more. */
  joined: Statement<{ jobId: Id | null }>;
}

/**
 * Starts a computation, or joins the one that goes on: a segment has one at a time. The call may join one that has not
 * begun, and one that has if nothing can have changed since. Any other one may have passed contacts before they changed,
 * or tells nobody. Then the call gets the job that waits for it to end, which is written here if there is none. It is
 * announced when the first has ended.
 */
export function upsertComputation(ctx: Context, segmentId: Id, jobId: Id): Joining {
  const active = sql`FROM segments s CROSS JOIN jobs j ON j.project_id = s.project_id AND j.id = s.compute_job_id
    WHERE s.project_id = ${ctx.project.number} AND s.id = ${segmentId} AND s.track_membership
      AND j.status IN ('queued', 'processing')`;
  const isTooOld = sql`(j.state->>'silent' OR (j.status = 'processing' AND (${movesWithTime(sql`s.condition`)}
    OR j.state->>'$.scan.of' IS NOT ${freshness(sql`s`)})))`;
  const hasNoneWaiting = sql`${isTooOld} AND j.input->>'waitingJobId' IS NULL`;
  const updateInput = (input: SQL, which: SQL) =>
    statement(
      sql`UPDATE jobs SET input = ${input} WHERE project_id = ${ctx.project.number} AND id = (SELECT j.id ${active} AND ${which})`,
    );
  const { jobs, rest } = insertComputations([{ jobId, projectId: ctx.project.number, segmentId }], {
    now: ctx.now,
    silent: false,
    isFollowed: true,
  });
  return {
    writes: [
      jobs,
      ...rest,
      updateInput(sql`json_set(input, '$.isFollowed', json('true'))`, sql`NOT ${isTooOld}`),
      statement(
        sql`INSERT INTO jobs (id, project_id, type, status, input, state, errors, created_at, next_announce_at)
          SELECT ${jobId}, s.project_id, 'segments.compute', 'queued',
            json_object('segmentId', s.id, 'isFollowed', json('true')), ${stateOf({ silent: false })}, '[]',
            ${ctx.now.getTime()}, NULL
          ${active} AND ${hasNoneWaiting}`,
      ),
      updateInput(sql`json_set(input, '$.waitingJobId', ${jobId})`, hasNoneWaiting),
    ],
    joined: statement(
      sql`SELECT (SELECT iif(${isTooOld}, j.input->>'waitingJobId', j.id) ${active}) AS job_id`,
      columns({ jobId: orNull(asId) }),
    ),
  };
}

function stateOf(state: { silent: boolean }): string {
  return JSON.stringify(firstState(state));
}
