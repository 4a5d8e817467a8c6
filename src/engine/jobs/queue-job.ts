import { SQL, sql } from "drizzle-orm";
import type { Id } from "../../core/ids";
import type { JobType } from "../../core/messages";
import { lostAfterMs, nudge } from "../../core/nudge";
import { rowById } from "../../db/own-rows";
import { asId, asNumber, columns } from "../../db/rows";
import { inProject } from "../../db/scope";
import { type Statement, statement } from "../../db/statement";
import type { Context } from "../../platform/context";
import { type JobNotes, jobGraceMs } from "./job";

/** A new job of a project. */
interface NewJob {
  id: Id;
  type: JobType;
  input?: JobNotes;
  state?: JobNotes | SQL;
  onlyIf?: SQL;
  /** How long after its creation the sweep announces the job. The default is when its message counts as lost. */
  announcedAfterMs?: number;
}

/**
 * Inserts a job of the project, in the batch of the call that starts it. The statement returns the job's id if the row
 * was written.
 */
export function insertJob(
  ctx: Context,
  { id, type, input = {}, state = {}, onlyIf = sql`true`, announcedAfterMs = lostAfterMs }: NewJob,
): Statement<{ id: Id }> {
  const inserted = upsertJobs(type, ctx.realClock(), {
    projectId: sql`${ctx.project.number}`,
    id: sql`${id}`,
    input: sql`${JSON.stringify(input)}`,
    state: state instanceof SQL ? state : sql`${JSON.stringify(state)}`,
    from: sql`WHERE ${onlyIf}`,
    graceMs: announcedAfterMs,
  });
  return { ...inserted, again: rowById("jobs", ctx, id) };
}

/** The columns of new jobs as SQL expressions, and the query that they come from. `from` ends with a WHERE clause. */
interface NewJobs {
  projectId: SQL;
  id: SQL;
  input?: SQL;
  state?: SQL;
  from: SQL;
  /** How long after its creation a job is announced again if no run has started. */
  graceMs?: number;
}

/**
 * Inserts jobs of one type, in any projects. Some kinds of work have a single job with a fixed id. Such a job is left
 * alone while it runs, and is started again once it has completed or failed. Returns the jobs that this statement
 * starts.
 */
export function upsertJobs(
  type: JobType,
  now: Date,
  { projectId, id, input = sql`'{}'`, state = sql`'{}'`, from, graceMs = jobGraceMs }: NewJobs,
): Statement<{ id: Id; projectId: number }> {
  const at = now.getTime();
  return statement(
    sql`INSERT INTO jobs (project_id, id, type, status, input, state, errors, created_at, next_announce_at)
      SELECT ${projectId}, ${id}, ${type}, 'queued', ${input}, ${state}, '[]', ${at}, ${at + graceMs}
      ${from}
      ON CONFLICT (project_id, id) DO UPDATE SET status = 'queued', progress = 0, generation = 1, input = excluded.input,
        state = excluded.state, result = NULL, errors = '[]', reason = NULL, failing_since = NULL,
        created_at = excluded.created_at, completed_at = NULL, next_announce_at = excluded.next_announce_at
        WHERE status NOT IN ('queued', 'processing')
      RETURNING id, project_id`,
    columns({ id: asId, projectId: asNumber }),
  );
}

/**
 * Puts an open job back into the queue: the sweep announces it at `announcedAt`, unless a message comes earlier. A run
 * that has read another state can no longer write.
 */
export function updateQueued(
  ctx: Context,
  { id, state, announcedAt }: { id: Id; state: JobNotes; announcedAt: number },
): Statement {
  return statement(
    sql`UPDATE jobs SET status = 'queued', state = ${JSON.stringify(state)}, next_announce_at = ${announcedAt}
      WHERE ${inProject(ctx)} AND id = ${id} AND status IN ('queued', 'processing')`,
  );
}

/** Sends the job's first message. Must be called after the commit. */
export function announceJob(ctx: Context, type: JobType, jobId: Id): Promise<void> {
  return nudge(ctx, [{ message: { type, projectId: ctx.project.number, jobId } }]);
}
