import { type SQL, sql } from "drizzle-orm";
import { aboveAllIds, belowAllIds, type Id } from "../../core/ids";
import { inProject } from "../../db/scope";
import type { Context } from "../../platform/context";
import type { ScanSource } from "./scan-source";

/** "up" goes from the oldest contact to the newest, "down" from the newest to the oldest. */
export type Direction = "up" | "down";

/** The ids that mark the start and the end of a scan in each direction. No contact has either id. */
export const ends: Record<Direction, { start: Id; end: Id }> = {
  up: { start: belowAllIds, end: aboveAllIds },
  down: { start: aboveAllIds, end: belowAllIds },
};

/** How SQL compares and orders ids in each direction. `first` picks whichever of two ids a scan reaches first. */
const comparisons = {
  up: { beyond: sql`>`, before: sql`<`, order: sql`ASC`, first: sql`min` },
  down: { beyond: sql`<`, before: sql`>`, order: sql`DESC`, first: sql`max` },
} as const;

/** A range of a source, for a statement that evaluates a condition for its contacts. */
export interface ScanWindow {
  /**
   * A table of one row, for the WITH clause. Its `id` is the last id of the window, or the id that marks the end of the
   * scan.
   */
  edge: SQL;
  /** `FROM … WHERE …` with the contacts `c` of the window: each once, in no particular order. */
  contacts: SQL;
}

/**
 * Returns the window with the next `rows` rows of a source after the id `from`. If `secondSource` is given, the window
 * ends where either source reaches that limit, so that a statement over both reads a bounded number of rows.
 */
export function windowFrom(
  ctx: Context,
  source: ScanSource,
  { direction, from, rows, secondSource }: { direction: Direction; from: Id; rows: number; secondSource?: ScanSource },
): ScanWindow {
  const edgeOf = (one: ScanSource) => {
    const last = lastRow(ctx, one, { direction, from: sql`${from}`, rows });
    return sql`coalesce((${last}), ${ends[direction].end})`;
  };
  const edge = secondSource
    ? sql`${comparisons[direction].first}(${edgeOf(source)}, ${edgeOf(secondSource)})`
    : edgeOf(source);
  return windowTo(ctx, source, { direction, from, edge });
}

/** Returns the window of a source from the id `from` to the id `to`, when both are known. */
export function windowBetween(
  ctx: Context,
  source: ScanSource,
  { direction, from, to }: { direction: Direction; from: Id; to: Id },
): ScanWindow {
  return windowTo(ctx, source, { direction, from, edge: sql`${to}` });
}

function windowTo(
  ctx: Context,
  source: ScanSource,
  { direction, from, edge }: { direction: Direction; from: Id; edge: SQL },
): ScanWindow {
  const { beyond, before } = comparisons[direction];
  const isBetween: IsBetween = (id, upTo) =>
    sql`${id} ${beyond} ${from} AND ${id} ${before}${upTo === "the edge" ? sql`=` : sql``} ${theEdge}`;
  return { edge: sql`edge (id) AS MATERIALIZED (SELECT ${edge})`, contacts: contactsOf(ctx, source, isBetween) };
}

/** Selects the ids at which the next windows of `rows` rows end, for at most `edges` windows. Reads only an index. */
export function selectEdges(
  ctx: Context,
  source: ScanSource,
  { direction, from, rows, edges }: { direction: Direction; from: Id; rows: number; edges: number },
): SQL {
  const next = lastRow(ctx, source, { direction, from: sql`edges.id`, rows });
  return sql`WITH RECURSIVE edges (n, id) AS (
      SELECT 0, ${from} UNION ALL SELECT n + 1, (${next}) FROM edges WHERE n < ${edges} AND id IS NOT NULL)
    SELECT id FROM edges WHERE n > 0 AND id IS NOT NULL`;
}

/** Selects the id of the last of the next `rows` rows. Selects nothing when there are fewer. */
function lastRow(
  ctx: Context,
  source: ScanSource,
  { direction, from, rows }: { direction: Direction; from: SQL; rows: number },
): SQL {
  const { beyond, order } = comparisons[direction];
  const { table, id } = rowsOf(ctx, source);
  return sql`SELECT ${id} ${table} AND ${id} ${beyond} ${from} ORDER BY ${id} ${order} LIMIT 1 OFFSET ${rows - 1}`;
}

const theEdge = sql`(SELECT id FROM edge)`;

/** Returns SQL that tests whether an id is in a window. The id at the window's edge counts only with "the edge". */
type IsBetween = (id: SQL, upTo: "the edge" | "before it") => SQL;

/**
 * Returns `FROM … WHERE …` with the contacts of a window. A contact may have any number of events, so the events of the
 * contact at the edge are not read. That contact is in the window anyway, and the condition of the scan checks whether
 * it has the event.
 */
function contactsOf(ctx: Context, source: ScanSource, isBetween: IsBetween): SQL {
  const { table, id } = rowsOf(ctx, source);
  if (source.over === "contacts") {
    return sql`FROM contacts c
      WHERE ${inProject(ctx, "c")} AND ${isBetween(sql`c.id`, "the edge")}`;
  }
  const counts = source.over === "events" ? sql` AND id >= ${source.firstId}` : sql``;
  return sql`FROM (SELECT ${id} AS id ${table} AND ${isBetween(id, "before it")}${counts} GROUP BY ${id}
      UNION ALL SELECT id FROM edge) n
    CROSS JOIN contacts c ON ${inProject(ctx, "c")} AND c.id = n.id WHERE true`;
}

/**
 * Returns the rows of a source as `FROM … WHERE …`, and the column that has a contact's id. An index lists the rows in
 * the order of that column.
 */
function rowsOf(ctx: Context, source: ScanSource): { table: SQL; id: SQL } {
  switch (source.over) {
    case "contacts":
      return { table: sql`FROM contacts WHERE ${inProject(ctx)}`, id: sql`id` };
    case "events":
      return {
        table: sql`FROM events INDEXED BY ix_events_name WHERE ${inProject(ctx)} AND name = ${source.name}`,
        id: sql`contact_id`,
      };
    case "members":
      return {
        table: sql`FROM segment_members WHERE ${inProject(ctx)} AND segment_id = ${source.segmentId}`,
        id: sql`contact_id`,
      };
    case "email":
      return {
        table: sql`FROM contacts INDEXED BY ux_contacts_email WHERE ${inProject(ctx)} AND email = ${source.email}`,
        id: sql`id`,
      };
  }
}
