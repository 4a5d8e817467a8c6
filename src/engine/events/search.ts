import { type SQL, sql } from "drizzle-orm";
import type { Span } from "../../core/events/range";
import { aboveAllIds, belowAllIds, firstIdAt, type Id, textOf } from "../../core/ids";
import { maxRowsPerStatement } from "../../db/limits";
import type { Context } from "../../platform/context";

/** Names that one statement looks at. A project has dozens; one that makes them up as it goes is not told them all. */
export const maxNames = maxRowsPerStatement;

/** Which events a list has. */
export interface EventSearch {
  contactId?: Id | undefined;
  names?: EventNames | undefined;
  /** When they happened. */
  during?: Span | undefined;
}

/** The names that a list has events of. */
export interface EventNames {
  /** The name when it is a single one. */
  only: string | null;
  /** The condition on a name, in SQL. */
  include(name: SQL): SQL;
}

export function onlyName(name: string): EventNames {
  return { only: name, include: (column) => sql`${column} = ${name}` };
}

/** From an id, included, to another, which is not. */
export interface IdWindow {
  from: Id;
  before: Id;
}

/** Where a list goes on behind an event; from its beginning when `after` is null. */
export function windowOf({ during }: EventSearch, after: Id | null): IdWindow {
  const window = { from: during ? firstIdAt(during.from) : belowAllIds, before: after ?? aboveAllIds };
  return during ? { ...window, before: earlier(firstIdAt(during.to), window.before) } : window;
}

export function earlier(one: Id, other: Id): Id {
  return textOf(one) < textOf(other) ? one : other;
}

export function later(one: Id, other: Id): Id {
  return textOf(one) > textOf(other) ? one : other;
}

/** The condition that an id is in the window. */
export function isWithin(id: SQL, { from, before }: IdWindow): SQL {
  const isFrom = from === belowAllIds ? sql`` : sql`AND ${id} >= ${from}`;
  return before === aboveAllIds ? isFrom : sql`${isFrom} AND ${id} < ${before}`;
}

/** The names in the project's log that a list has, as a condition on `event_names`. */
export function namesOf(ctx: Context, { include }: EventNames): SQL {
  return sql`project_id = ${ctx.project.number} AND ${include(sql`name`)}`;
}
