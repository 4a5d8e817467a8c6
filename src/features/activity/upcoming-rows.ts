import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import type { Id } from "../../core/ids";
import type { JsonObject } from "../../core/json";
import { maxRowsPerStatement } from "../../db/limits";
import { asId, asNumber, columns, type RowReader } from "../../db/rows";
import { type Statement, statement } from "../../db/statement";
import type { Context } from "../../platform/context";

/** An upcoming entry. Entries come from three tables, each with an index by time. */
export interface Upcoming {
  id: Id;
  type: "campaign.scheduled" | "email.scheduled" | "workflow.waiting";
  at: number;
  contactId: Id | null;
  contactEmail: string | null;
  metadata: JsonObject;
}

/** A position in the list: a time, and an id to order entries with the same time. */
export const ByTime = z.tuple([z.number(), z.string()]);

/** The maximum number of rows that one statement counts. */
export const maxCounted = maxRowsPerStatement;

/**
 * The maximum number of rows that a page looks through. The statement that finds the last of these rows reads them
 * twice, so the number is half of what one statement is allowed to read.
 */
const maxLookedThrough = Math.floor(maxRowsPerStatement / 2);

export type UpcomingCursor = z.infer<typeof ByTime>;

export interface UpcomingSource {
  /**
   * Returns the FROM and WHERE clauses that select the upcoming rows: those of all contacts if `contactId` is null. The
   * alias of the rows is `s`, and `at` is their time.
   */
  rows(ctx: Context, contactId: Id | null): SourceRows;
  select(rows: SourceRows, after: UpcomingCursor, limit: number): Statement<Upcoming>;
}

export interface SourceRows {
  from: SQL;
  at: SQL;
  where: SQL;
  /** The condition under which a row is shown. It is set when the index also contains rows that are not shown. */
  isShown?: SQL;
}

function isAfter({ at }: SourceRows, [time, id]: UpcomingCursor): SQL {
  return sql`(${at}, s.id) > (${time}, ${id})`;
}

/** Counts the shown rows after a position, and how many rows were read to find them. */
export function countAfter(rows: SourceRows, after: UpcomingCursor): Statement<{ count: number; seen: number }> {
  return statement(
    sql`SELECT coalesce(sum(is_shown), 0) AS count, count(*) AS seen FROM (
      SELECT ${rows.isShown ?? sql`1`} AS is_shown FROM ${rows.from}
      WHERE ${rows.where} AND ${isAfter(rows, after)} LIMIT ${maxCounted})`,
    columns({ count: asNumber, seen: asNumber }),
  );
}

function nextRows(rows: SourceRows, after: UpcomingCursor, limit: number): SQL {
  const { from, at, where, isShown } = rows;
  const first = (count: number) => sql`SELECT s.*, ${at} AS at FROM ${from} WHERE ${where} AND ${isAfter(rows, after)}
    ORDER BY ${at}, s.id LIMIT ${count}`;
  return isShown ? sql`SELECT * FROM (${first(maxLookedThrough)}) s WHERE ${isShown} LIMIT ${limit}` : first(limit);
}

/**
 * Selects the last row that a page reads, if the page reached `maxLookedThrough` without finding enough rows to show.
 */
export function selectEnd(rows: SourceRows, after: UpcomingCursor, limit: number): Statement<{ at: number; id: Id }> {
  const { from, at, where } = rows;
  const isShort = sql`(SELECT count(*) FROM (${nextRows(rows, after, limit + 1)})) <= ${limit}`;
  return statement(
    sql`SELECT ${at} AS at, s.id FROM ${from} WHERE ${where} AND ${isAfter(rows, after)}
      ORDER BY ${at}, s.id LIMIT ${isShort} OFFSET ${maxLookedThrough - 1}`,
    columns({ at: asNumber, id: asId }),
  );
}

/** Selects the next rows of a source. The columns of other tables are joined for these rows only. */
export function selectNext(
  rows: SourceRows,
  {
    after,
    limit,
    more,
    read,
  }: { after: UpcomingCursor; limit: number; more: { columns: SQL; joins: SQL }; read: RowReader<Upcoming> },
): Statement<Upcoming> {
  const next = nextRows(rows, after, limit);
  return statement(sql`SELECT s.id, s.at, ${more.columns} FROM (${next}) s ${more.joins} ORDER BY s.at, s.id`, read);
}
