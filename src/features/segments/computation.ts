import { sql } from "drizzle-orm";
import type { Id } from "../../core/ids";
import { asId, asNumber, columns } from "../../db/rows";
import { type Statement, statement } from "../../db/statement";
import { deleteJobs, updateOpenJobs } from "../../engine/jobs/job";
import { upsertJobs } from "../../engine/jobs/queue-job";
import type { Context } from "../../platform/context";
import { countJobId } from "./count";
import { freshness, movesWithTime } from "./freshness";
import { firstState, type Start, type Starting } from "./scan-job";

/** The job that computes the members of the segment `s` right now. */
const activeComputation = sql`SELECT j.id FROM jobs j
  WHERE j.project_id = s.project_id AND j.id = s.compute_job_id AND j.status IN ('queued', 'processing')`;

/** A computation that was to take the members silently and was given up: the next one takes them so in its place. */
const wasSilent = sql`SELECT j.state->>'silent' FROM jobs j
  WHERE j.project_id = s.project_id AND j.id = s.compute_job_id AND j.status = 'failed'`;

/** Calls that come when the members are taken silently want events: so a silent pass has its generation from the start. */
const silentState = JSON.stringify(firstState({ silent: true, generation: 1 }));
const tellingState = JSON.stringify(firstState({ silent: false }));

/** Leaves out segments that are tracked no more or are being computed. */
export function insertComputations(
  starts: Start[],
  { now, silent, isFollowed }: { now: Date; silent: boolean; isFollowed: boolean },
): Starting {
  const named = starts.map((start) => ({ ...start, countJobId: countJobId(start.segmentId) }));
  const started = sql`json_each(${JSON.stringify(named)}) n`;
  return {
    jobs: upsertJobs("segments.compute", now, {
      projectId: sql`s.project_id`,
      id: sql`n.value->>'jobId'`,
      input: sql`json_object('segmentId', s.id, 'isFollowed', json(${JSON.stringify(isFollowed)}))`,
      state: silent ? sql`${silentState}` : sql`iif((${wasSilent}), ${silentState}, ${tellingState})`,
      from: sql`FROM ${started} CROSS JOIN segments s
          ON s.project_id = n.value->>'projectId' AND s.id = n.value->>'segmentId'
        WHERE s.condition IS NOT NULL AND s.track_membership AND NOT EXISTS (${activeComputation})`,
    }),
    rest: [
      statement(
        sql`UPDATE segments SET compute_job_id = n.value->>'jobId'
          FROM ${started}
          WHERE segments.project_id = n.value->>'projectId' AND segments.id = n.value->>'segmentId'
            AND EXISTS (SELECT 1 FROM jobs j WHERE j.project_id = segments.project_id AND j.id = n.value->>'jobId')`,
      ),
      // A computation counts, too.
      deleteJobs(
        sql`(project_id, id) IN (SELECT j.project_id, n.value->>'countJobId'
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
  const { jobs, rest } = insertComputations([start], { now: ctx.realClock(), silent: true, isFollowed: true });
  const active = sql`project_id = ${ctx.project.number} AND id = (SELECT (${activeComputation}) FROM segments s
    WHERE s.project_id = ${ctx.project.number} AND s.id = ${segmentId})`;
  const taken = updateOpenJobs(active, {
    input: sql`json_set(input, '$.isFollowed', json('true'))`,
    // Every number in it is a column's, so the text is that of `firstState`.
    state: sql`json_object('silent', json('true'), 'generation', generation, 'scan', NULL)`,
    result: sql`NULL`,
  });
  return [taken, jobs, ...rest];
}

/** What a call waits for: a pass of the job that began with this generation of it, or a later one. */
export interface Wish {
  jobId: Id;
  generation: number;
}

/** Statements by which a call gets a computation of the members as they are now or later. */
export interface Joining {
  writes: Statement[];
  /** Comes last, and returns what to follow; nothing when the segment is tracked no more. */
  joined: Statement<Wish>;
}

/**
 * Starts a computation, or joins the one that goes on: a segment has one at a time. A call may join a pass that has not
 * begun, and one that has if nothing can have changed since. Any other pass may have gone past contacts before they
 * changed, or tells nobody. Then the call moves the job's generation, and follows the same job.
 *
 * A pass notes the generation that it found before it began. When it ends and the generation has moved, the job begins
 * again at the first contact, with events, and adds to the same result; else it is completed. However many calls come
 * during one pass, one more pass serves all of them.
 *
 * So nobody waits for more than the rest of one pass and the whole of the next: the members are then as they were at the
 * call or later. A call that waits inside its request is answered at that moment, whatever calls came meanwhile; see
 * `finishComputation`. Who follows the job by its id sees it `processing` for as long as calls come that need a pass of
 * their own: its result then says how many came and went in all passes so far, and the total of the last whole one.
 */
export function upsertComputation(ctx: Context, segmentId: Id, jobId: Id): Joining {
  const active = sql`FROM segments s CROSS JOIN jobs j ON j.project_id = s.project_id AND j.id = s.compute_job_id
    WHERE s.project_id = ${ctx.project.number} AND s.id = ${segmentId} AND s.track_membership
      AND j.status IN ('queued', 'processing')`;
  const isTooOld = sql`(j.state->>'silent' OR (j.status = 'processing' AND (${movesWithTime(sql`s.condition`)}
    OR j.state->>'$.scan.of' IS NOT ${freshness(sql`s`)})))`;
  const { jobs, rest } = insertComputations([{ jobId, projectId: ctx.project.number, segmentId }], {
    now: ctx.realClock(),
    silent: false,
    isFollowed: true,
  });
  const joining = updateOpenJobs(sql`project_id = ${ctx.project.number} AND id = (SELECT j.id ${active})`, {
    input: sql`json_set(input, '$.isFollowed', json('true'))`,
    generation: sql`generation + (SELECT iif(${isTooOld}, 1, 0) ${active})`,
  });
  return {
    writes: [jobs, ...rest, joining],
    joined: statement(
      sql`SELECT j.id AS job_id, j.generation ${active}`,
      columns({ jobId: asId, generation: asNumber }),
    ),
  };
}
