import { type SQL, sql } from "drizzle-orm";
import type { Span } from "../../core/events/range";
import { aboveAllIds, belowAllIds, firstIdAt, type Id, textOf } from "../../core/ids";
import { maxRowsPerStatement } from "../../db/limits";
import { inProject } from "../../db/scope";
import type { Context } from "../../platform/context";

/**
 * The maximum number of names that one statement reads. A typical project has dozens; a project that generates names
 * gets an incomplete list.
 */
export const maxNames = maxRowsPerStatement;

/** The filters of a list of events. */
export interface EventSearch {
  contactId?: Id | undefined;
  names?: EventNames | undefined;
  /** The span of time in which the events happened. */
  during?: Span | undefined;
}

/** A filter by event names. */
export interface EventNames {
  /** The name, if the filter includes exactly one; otherwise null. */
  only: string | null;
  /** Returns an SQL condition that holds when the filter includes this name. */
  include(name: SQL): SQL;
}

export function onlyName(name: string): EventNames {
  return { only: name, include: (column) => sql`${column} = ${name}` };
}

/** A range of ids: `from` is included, `before` is not. */
export interface IdWindow {
  from: Id;
  before: Id;
}

/** Returns the window in which a list continues after an event, or the whole window when `after` is null. */
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

/** Returns the condition that an id is in the window. It begins with AND, or is empty. */
export function isWithin(id: SQL, { from, before }: IdWindow): SQL {
  const isFrom = from === belowAllIds ? sql`` : sql`AND ${id} >= ${from}`;
  return before === aboveAllIds ? isFrom : sql`${isFrom} AND ${id} < ${before}`;
}

/** Returns a condition on `event_names`: the project's names that the filter includes. */
export function namesOf(ctx: Context, { include }: EventNames): SQL {
  return sql`${inProject(ctx)} AND ${include(sql`name`)}`;
}
