import { SQL, sql } from "drizzle-orm";
import type { JsonObject } from "../../core/json";
import { guard, type Statement, statement } from "../../db/statement";
import type { JobRow } from "../../db/tables";
import type { Context, Platform } from "../../platform/context";
import type { JobNotes } from "./job";

/** Whether a job goes on after a step. One that waits for something comes again with the sweep, from where it stands. */
export type Step = "goes on" | "waits" | "ended";

/** Another run has done this step. Two runs of a job may overlap, and only one of them does each step. */
export class MovedOn extends Error {
  override readonly name = "MovedOn";
}

/** The guard that a step's batch begins with: the job still stands where the step found it. */
export function guardState(ctx: Context, row: JobRow): Statement {
  return guard(
    sql`EXISTS (SELECT 1 FROM jobs WHERE project_id = ${ctx.project.number} AND id = ${row.id} AND status = 'processing'
      AND state = ${JSON.stringify(row.state)})`,
    () => new MovedOn(),
  );
}

/**
 * The statement by which a step says how far the job is now: so it is not failing. `progress` is 0 to 100. What it
 * `told`, for those who follow the job, may be counted by the database itself: then it goes before the change that it
 * counts. A `state` that the database makes must be the text that JSON.stringify would make; see src/README.md.
 */
export function updateState(
  ctx: Context,
  row: JobRow,
  state: JobNotes | SQL,
  progress: number,
  { result = sql`result`, errors = sql`errors`, onlyIf = sql`true` }: { result?: SQL; errors?: SQL; onlyIf?: SQL } = {},
): Statement {
  return statement(
    sql`UPDATE jobs SET state = ${asSql(state)}, progress = ${Math.min(99, Math.floor(progress))},
        result = ${result}, errors = ${errors}, failing_since = NULL
      WHERE project_id = ${ctx.project.number} AND id = ${row.id} AND ${onlyIf}`,
  );
}

/** How a job ends. What is not said stays as it is, but for the result. */
interface End {
  status: "completed" | "failed";
  state?: JobNotes;
  result?: JsonObject | SQL;
  /** Why it failed: a sentence for customers. */
  reason?: string | null;
  progress?: number;
  onlyIf?: SQL;
}

/** The statement by which a job ends, if it goes on still. Its errors stay: an erasure may just have emptied them. */
export function updateEnded(
  { realClock }: Pick<Platform, "realClock">,
  { projectId, id }: Pick<JobRow, "projectId" | "id">,
  { status, state, result = sql`NULL`, reason = null, progress = 100, onlyIf = sql`true` }: End,
): Statement {
  return statement(
    sql`UPDATE jobs SET status = ${status}, state = ${state ? asSql(state) : sql`state`}, progress = ${progress},
        result = ${asSql(result)}, reason = ${reason}, next_announce_at = NULL, completed_at = ${realClock().getTime()}
      WHERE project_id = ${projectId} AND id = ${id} AND status IN ('queued', 'processing') AND ${onlyIf}`,
  );
}

function asSql(json: JobNotes | JsonObject | SQL): SQL {
  return json instanceof SQL ? json : sql`${JSON.stringify(json)}`;
}
