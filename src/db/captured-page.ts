import { type SQL, sql } from "drizzle-orm";
import { imageOf, keyColumns, keyOf } from "./capture";
import type { Db } from "./client";
import type { ProjectTable } from "./project-tables";
import { asFlag, asText, columns, orNull } from "./rows";
import { inProject, type Owner } from "./scope";
import { select } from "./statement";

/** The values of a row's key columns. */
export type Key = (string | number)[];

/** Consecutive rows of a table at the captured moment. */
export interface CapturedPage {
  images: string[];
  /** The key after which the next page begins; null at the end of the table. */
  next: Key | null;
}

export const maxRows = 1_000;
/** The maximum number of rows in a page of a table with large rows. */
export const maxLargeRows = 100;
/** A page ends with the row that makes it reach this many bytes. */
export const maxBytes = 1_000_000;

const readRow = columns({ image: orNull(asText), isFull: asFlag, key: asText });

/**
 * Returns the next rows of a table as they were at the captured moment, in the order of their keys. A single statement
 * reads the rows and their images, so that no change can come between. It reads them as two lists in the same order,
 * and merges the lists. A row that has an image is in the list of rows too, but without its columns, so that both lists
 * advance past it.
 */
export async function readCapturedPage(
  { db, project }: Owner & { db: Db },
  table: ProjectTable,
  after: Key | null,
): Promise<CapturedPage> {
  const limit = table.isLarge ? maxLargeRows : maxRows;
  const rows = await select(db, pageOf({ project }, table, after, limit), readRow);
  const last = rows.at(-1);
  const isCut = last !== undefined && (rows.length === limit || last.isFull);
  return {
    images: rows.flatMap(({ image }) => image ?? []),
    next: isCut ? (JSON.parse(last.key) as Key).slice(0, table.key.length) : null,
  };
}

function pageOf(owner: Owner, table: ProjectTable, after: Key | null, limit: number): SQL {
  const name = sql.identifier(table.name);
  const rowKey = keyOf(table, "t").map((column) => sql.raw(column));
  const isNoted = sql.join(
    keyColumns.map((column, index) => sql`c.${sql.raw(column)} = ${rowKey[index]}`),
    sql` AND `,
  );
  const own = table.key.map((column) => sql.raw(`t."${column}"`));
  const noted = keyColumns.slice(0, table.key.length).map((column) => sql.raw(`c.${column}`));
  const order = sql.raw(`${keyColumns.join(", ")}, image IS NULL`);
  const byKey = (parts: SQL[]) => (parts.length === 0 ? sql`` : sql`ORDER BY ${list(parts)}`);
  return sql`WITH present AS (
      SELECT ${list(rowKey.map((column, index) => sql`${column} AS ${sql.raw(keyColumns[index] ?? "")}`))},
        iif(EXISTS (SELECT 1 FROM captured_rows c WHERE ${inProject(owner, "c")} AND c.table_name = ${table.name}
          AND ${isNoted}), NULL, ${sql.raw(imageOf(table, "t"))}) AS image
      FROM ${name} t WHERE ${inProject(owner, "t")} ${beyond(own, after)} ${byKey(own)} LIMIT ${limit}),
    noted AS (
      SELECT c.k1, c.k2, c.k3, c.k4, c.image FROM captured_rows c
      WHERE ${inProject(owner, "c")} AND c.table_name = ${table.name} ${beyond(noted, after)} ${byKey(noted)} LIMIT ${limit}),
    both AS (SELECT * FROM noted UNION ALL SELECT * FROM present),
    page AS (SELECT *, coalesce(sum(octet_length(image)) OVER (ORDER BY ${order}
        ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW), 0) AS bytes FROM (SELECT * FROM both ORDER BY ${order} LIMIT ${limit}))
    SELECT image, bytes >= ${maxBytes} AS is_full, json_array(k1, k2, k3, k4) AS key FROM page
    WHERE bytes - coalesce(octet_length(image), 0) < ${maxBytes} ORDER BY ${order}`;
}

/** Returns the condition that the key comes after `after`. */
export function beyond(key: SQL[], after: Key | null): SQL {
  if (after === null) return sql``;
  return sql`AND (${list(key)}) > (${list(after.map((value) => sql`${value}`))})`;
}

export function list(parts: SQL[]): SQL {
  return sql.join(parts, sql`, `);
}
