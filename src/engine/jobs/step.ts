import { SQL, sql } from "drizzle-orm";
import type { JsonObject } from "../../core/json";
import { inProject } from "../../db/scope";
import { guard, type Statement, statement } from "../../db/statement";
import type { JobRow } from "../../db/tables";
import type { Context, Platform } from "../../platform/context";
import type { JobNotes } from "./job";

/**
 * The state of a job after a step. A job that waits is announced again by the sweep, and continues from its stored
 * state.
 */
export type Step = "goes on" | "waits" | "ended";

/** Another run has done this step. Two runs of a job may overlap, but only one of them does each step. */
export class MovedOn extends Error {
  override readonly name = "MovedOn";
}

/** Returns the guard at the start of a step's batch: the job still has the state that the step has read. */
export function guardState(ctx: Context, row: JobRow): Statement {
  return guard(
    sql`EXISTS (SELECT 1 FROM jobs WHERE ${inProject(ctx)} AND id = ${row.id} AND status = 'processing'
      AND state = ${JSON.stringify(row.state)})`,
    () => new MovedOn(),
  );
}

/**
 * Stores the job's next state and its progress, 0 to 100, and clears the record of failed runs. When `result` or
 * `errors` is SQL that counts rows, the statement must come before the change of these rows. A `state` in SQL must
 * yield the exact text of JSON.stringify, because `guardState` compares the two texts. A run that makes no progress
 * until `lostAt` counts as lost.
 */
export function updateState(
  ctx: Context,
  row: JobRow,
  state: JobNotes | SQL,
  progress: number,
  {
    result = sql`result`,
    errors = sql`errors`,
    onlyIf = sql`true`,
    lostAt = sql`next_announce_at`,
  }: { result?: SQL; errors?: SQL; onlyIf?: SQL; lostAt?: SQL } = {},
): Statement {
  return statement(
    sql`UPDATE jobs SET state = ${asSql(state)}, progress = ${Math.min(99, Math.floor(progress))},
        result = ${result}, errors = ${errors}, failing_since = NULL, next_announce_at = ${lostAt}
      WHERE ${inProject(ctx)} AND id = ${row.id} AND ${onlyIf}`,
  );
}

/** How a job ends. Fields left out keep their values, except that the result becomes NULL. */
interface JobEnd {
  status: "completed" | "failed";
  state?: JobNotes;
  result?: JsonObject | SQL;
  /** The reason of a failure: a sentence for the customer. */
  reason?: string | null;
  progress?: number;
  onlyIf?: SQL;
}

/**
 * Ends the job if it is still running. Keeps the errors of the row, because an erasure may just have cleared addresses
 * in them.
 */
export function updateEnded(
  { realClock }: Pick<Platform, "realClock">,
  { projectId, id }: Pick<JobRow, "projectId" | "id">,
  { status, state, result = sql`NULL`, reason = null, progress = 100, onlyIf = sql`true` }: JobEnd,
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
