import { type SQL, sql } from "drizzle-orm";
import { inProject } from "../../db/scope";
import type { Context } from "../../platform/context";

/**
 * Work that depends on a project's clock, or that must finish before the clock moves. Real projects have a sweep, a
 * queue message or an alarm for it. For a project with a test clock, only an advance of the clock does this work, with
 * the same verbs.
 */
export interface Timed {
  /** A name for the failure message of an advance that does not settle. */
  name: string;
  table: string;
  /** The index that finds the rows that are due. */
  index: string;
  /** When a row is due, by the clock of the project. Rows without such a time are due at once. */
  column?: string;
  /** A condition on the rows. */
  where?(ctx: Context): SQL;
  /** A condition: a row that is due has something to do. */
  hasWork?(ctx: Context): SQL;
  /** Does the work of the rows that are due, or part of it. `due` is a FROM clause. */
  settle(ctx: Context, due: SQL): Promise<unknown>;
  /** An SQL expression for the next time at which work is due, or NULL, if that is not the least in the column. */
  nextAt?(ctx: Context): SQL;
  /** The same, for work whose next time no single expression can compute. */
  foresee?(ctx: Context): Promise<number | null>;
}

/** Returns the FROM clause of the rows that are due. */
export function dueRows(ctx: Context, work: Timed): SQL {
  return work.column === undefined ? rowsOf(ctx, work) : rowsAt(ctx, work, sql`<=`);
}

/** Returns a condition: work is due at the project's present time, or is under way. */
export function isDue(ctx: Context, work: Timed): SQL {
  const hasWork = work.hasWork?.(ctx) ?? sql`true`;
  return sql`EXISTS (SELECT 1 ${dueRows(ctx, work)} AND ${hasWork})`;
}

/** Returns an SQL expression for the next time, after the present, at which work is due; null when it has none. */
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
