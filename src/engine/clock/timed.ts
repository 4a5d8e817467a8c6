import { type SQL, sql } from "drizzle-orm";
import { inProject } from "../../db/scope";
import type { Context } from "../../platform/context";

/**
 * Work that depends on a project's clock, or that must finish before the clock moves. A sweep, a queue message or an
 * alarm starts such work in a real project. In a project with a test clock, only an advance of the clock does the work,
 * with the same verbs.
 */
export interface Timed {
  /** A name for the failure message of an advance that does not settle. */
  name: string;
  table: string;
  /** The index that finds the due rows. */
  index: string;
  /**
   * The column with the time, on the project's clock, at which a row is due. Without such a column, all rows of the
   * index are due at once.
   */
  column?: string;
  /** A further condition that due rows must meet. */
  where?(ctx: Context): SQL;
  /** Returns a condition that holds when there is work to do for a due row. */
  hasWork?(ctx: Context): SQL;
  /**
   * Runs once before an advance, for work that the rows do not show yet. The advance does not begin until it succeeds.
   */
  prepare?(ctx: Context): Promise<void>;
  /** Does the work of the due rows, or part of it. `due` is a FROM clause. */
  settle(ctx: Context, due: SQL): Promise<unknown>;
  /**
   * Returns an SQL expression for the next time at which work is due, or NULL. Needed only when that time is not simply
   * the smallest future time in the column.
   */
  nextAt?(ctx: Context): SQL;
  /** Like `nextAt`, for work whose next time cannot be computed by one SQL expression. */
  foresee?(ctx: Context): Promise<number | null>;
}

/** Returns the FROM clause of the due rows. */
export function dueRows(ctx: Context, work: Timed): SQL {
  return work.column === undefined ? rowsOf(ctx, work) : rowsAt(ctx, work, sql`<=`);
}

/** Returns a condition that holds while work is due at the project's present time, or is in progress. */
export function isDue(ctx: Context, work: Timed): SQL {
  const hasWork = work.hasWork?.(ctx) ?? sql`true`;
  return sql`EXISTS (SELECT 1 ${dueRows(ctx, work)} AND ${hasWork})`;
}

/** Returns an SQL expression for the next future time at which work is due. Returns null when the work has no times. */
export function nextAt(ctx: Context, work: Timed): SQL | null {
  if (work.nextAt) return work.nextAt(ctx);
  if (work.column === undefined) return null;
  return sql`SELECT min(${sql.raw(work.column)}) ${rowsAt(ctx, work, sql`>`)}`;
}

function rowsAt(ctx: Context, work: Timed, comparison: SQL): SQL {
  return sql`${rowsOf(ctx, work)} AND clock = ${ctx.project.number}
    AND ${sql.raw(work.column ?? "")} ${comparison} ${ctx.clock().getTime()}`;
}

function rowsOf(ctx: Context, { table, index, where }: Timed): SQL {
  return sql`FROM ${sql.raw(table)} INDEXED BY ${sql.raw(index)}
    WHERE ${inProject(ctx)} AND ${where?.(ctx) ?? sql`true`}`;
}
