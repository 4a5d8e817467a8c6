import { type SQL, sql } from "drizzle-orm";
import type { Id } from "../../core/ids";
import { asId, asNumber, columns } from "../../db/rows";
import { inProject } from "../../db/scope";
import { type Statement, statement } from "../../db/statement";
import { deleteJobs, updateOpenJobs } from "../../engine/jobs/job";
import { upsertJobs } from "../../engine/jobs/queue-job";
import type { Context } from "../../platform/context";
import { countJobId } from "./count";
import { freshness } from "./freshness";
import { firstState, type ScanJobInserts, type ScanJobStart } from "./scan-job";

/** The open job that computes the members of the segment `s`. */
const activeComputation = sql`SELECT j.id FROM jobs j
  WHERE j.project_id = s.project_id AND j.id = s.compute_job_id AND j.status IN ('queued', 'processing')`;

/**
 * Whether the last computation failed, and was silent (it recorded no events). If so, the next computation must be
 * silent too.
 */
const wasSilent = sql`SELECT j.state->>'silent' FROM jobs j
  WHERE j.project_id = s.project_id AND j.id = s.compute_job_id AND j.status = 'failed'`;

/**
 * A silent pass gets its generation when the job is created, and not when the pass begins. A call that arrives in
 * between wants events, so it waits for a later pass.
 */
const silentState = JSON.stringify(firstState({ silent: true, generation: 1 }));
const eventfulState = JSON.stringify(firstState({ silent: false }));

/** Inserts jobs that compute members. Leaves out segments that are no longer tracked or are already being computed. */
export function insertComputations(
  starts: ScanJobStart[],
  { now, silent, isFollowed }: { now: Date; silent: boolean; isFollowed: boolean },
): ScanJobInserts {
  const named = starts.map((start) => ({ ...start, countJobId: countJobId(start.segmentId) }));
  const started = sql`json_each(${JSON.stringify(named)}) n`;
  return {
    jobs: upsertJobs("segments.compute", now, {
      projectId: sql`s.project_id`,
      id: sql`n.value->>'jobId'`,
      input: sql`json_object('segmentId', s.id, 'isFollowed', json(${JSON.stringify(isFollowed)}))`,
      state: silent ? sql`${silentState}` : sql`iif((${wasSilent}), ${silentState}, ${eventfulState})`,
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
      // A computation also counts the members, so a separate count is not needed.
      deleteJobs(
        sql`(project_id, id) IN (SELECT j.project_id, n.value->>'countJobId'
          FROM ${started} CROSS JOIN jobs j ON j.project_id = n.value->>'projectId' AND j.id = n.value->>'jobId')`,
      ),
    ],
  };
}

/**
 * Starts a computation that records the present members without events. The statements must go into the batch that
 * begins to track the segment. A computation that is still running from an earlier period of tracking starts again
 * without events, because it must not report what happened while the segment was not tracked.
 */
export function upsertSilentComputation(ctx: Context, segmentId: Id, jobId: Id): Statement[] {
  const start: ScanJobStart = { jobId, projectId: ctx.project.number, segmentId };
  const { jobs, rest } = insertComputations([start], { now: ctx.realClock(), silent: true, isFollowed: true });
  const active = sql`${inProject(ctx)} AND id = (SELECT (${activeComputation}) FROM segments s
    WHERE ${inProject(ctx, "s")} AND s.id = ${segmentId})`;
  const silenced = updateOpenJobs(active, {
    input: sql`json_set(input, '$.isFollowed', json('true'))`,
    // `generation` is an integer, so this text equals the one that `firstState` writes.
    state: sql`json_object('silent', json('true'), 'generation', generation, 'scan', NULL)`,
    result: sql`NULL`,
  });
  return [silenced, jobs, ...rest];
}

/**
 * Whether the present members of a segment have yet to be recorded without events, because a silent computation has not
 * ended, or has failed.
 */
export function isBeingRecorded(ctx: Context, segmentId: Id): SQL {
  return sql`coalesce((SELECT j.state->>'silent' FROM segments s
    CROSS JOIN jobs j ON j.project_id = s.project_id AND j.id = s.compute_job_id AND j.status <> 'completed'
    WHERE ${inProject(ctx, "s")} AND s.id = ${segmentId}), 0)`;
}

/** The pass for which a call waits: any pass of this job that begins with this generation or with a later one. */
export interface AwaitedPass {
  jobId: Id;
  generation: number;
}

/**
 * The statements by which a call starts a computation of the members, or joins one whose result will not be older than
 * the call.
 */
export interface JoinedComputation {
  writes: Statement[];
  /** Runs last and returns the pass to wait for. Returns nothing when the segment is no longer tracked. */
  joined: Statement<AwaitedPass>;
}

/**
 * Starts a computation, or joins the running one: a segment has at most one at a time. A call may join a pass that has
 * not begun, and a pass that has begun if nothing can have changed since. Any other pass may have scanned contacts
 * before they changed, or is silent. The call then increments the job's generation, and waits for a later pass of the
 * same job.
 *
 * A pass stores the generation that it found before it began. When the pass ends and the generation has changed, the
 * job starts again at the first contact, with events, and adds to the same result; otherwise the job is completed. One
 * more pass serves all calls that arrive during a pass, however many.
 *
 * No call therefore waits for more than the rest of one pass and all of the next. The members are then as they were at
 * the call or later. A call that waits within its request is answered at that moment, regardless of calls that arrive
 * later; see `finishComputation`. A client that polls the job sees it `processing` as long as calls arrive that need
 * another pass. The result then reports how many contacts entered and left in all passes so far, and the total of the
 * last complete pass.
 */
export function upsertComputation(ctx: Context, segmentId: Id, jobId: Id): JoinedComputation {
  const active = sql`FROM segments s CROSS JOIN jobs j ON j.project_id = s.project_id AND j.id = s.compute_job_id
    WHERE ${inProject(ctx, "s")} AND s.id = ${segmentId} AND s.track_membership
      AND j.status IN ('queued', 'processing')`;
  const isTooOld = sql`(j.state->>'silent' OR (j.status = 'processing' AND (s.moves_with_time
    OR j.state->>'$.scan.of' IS NOT ${freshness(sql`s`)})))`;
  const { jobs, rest } = insertComputations([{ jobId, projectId: ctx.project.number, segmentId }], {
    now: ctx.realClock(),
    silent: false,
    isFollowed: true,
  });
  const joins = updateOpenJobs(sql`${inProject(ctx)} AND id = (SELECT j.id ${active})`, {
    input: sql`json_set(input, '$.isFollowed', json('true'))`,
    generation: sql`generation + (SELECT iif(${isTooOld}, 1, 0) ${active})`,
  });
  return {
    writes: [jobs, ...rest, joins],
    joined: statement(
      sql`SELECT j.id AS job_id, j.generation ${active}`,
      columns({ jobId: asId, generation: asNumber }),
    ),
  };
}
