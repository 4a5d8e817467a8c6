import { getTableName, type InferSelectModel, type SQL, sql } from "drizzle-orm";
import { toSnakeCase } from "drizzle-orm/casing";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import { ById, cursorPage, type Filters, type Page, readCursor } from "../core/page";
import { type BatchContext, openBatch } from "./batch";
import type { Db } from "./client";
import { maxRowsPerStatement } from "./limits";
import { asNumber, asText, columns, wholeRow } from "./rows";
import { statement } from "./statement";

/** The query parameters that every list with a cursor has. */
export interface CursorQuery {
  cursor?: string;
  limit: number;
}

interface RowList<Row> {
  /** The condition for rows in the list, including the condition on the project. */
  where: SQL;
  /** The column by which the list is sorted. Its values are unique among the rows. */
  by: string & keyof Row;
  order: "ASC" | "DESC";
  /** The filters of the list. A cursor is only valid for the same filters. */
  filters?: Filters;
}

/**
 * Returns a page of a table's rows. Only the first page counts the rows, up to `maxRowsPerStatement`. Throws BadRequest
 * for a cursor of another list.
 */
export async function listRows<Table extends SQLiteTable, Json>(
  ctx: BatchContext & { db: Db; now: Date },
  table: Table,
  { cursor, limit }: CursorQuery,
  { where, by, order, filters = {} }: RowList<InferSelectModel<Table>>,
  toJson: (row: InferSelectModel<Table>) => Json,
): Promise<Page<Json>> {
  const [after = null] = readCursor(cursor, ById, filters) ?? [];
  const listed = sql`FROM ${sql.raw(getTableName(table))} WHERE ${where}`;
  const key = sql.raw(toSnakeCase(by));
  const isAfter = after === null ? sql`` : sql` AND ${key} ${order === "ASC" ? sql`>` : sql`<`} ${after}`;
  const batch = openBatch(ctx);
  const found = batch.add(
    statement(sql`SELECT * ${listed}${isAfter} ORDER BY ${key} ${sql.raw(order)} LIMIT ${limit + 1}`, wholeRow(table)),
  );
  const count = sql`SELECT count(*) AS total FROM (SELECT 1 ${listed} LIMIT ${maxRowsPerStatement})`;
  const counted = after === null ? batch.add(statement(count, columns({ total: asNumber }))) : null;
  await batch.commit();
  const shown = found.all.slice(0, limit);
  const last = found.count > limit ? shown.at(-1) : undefined;
  const total = counted?.one.total ?? 0;
  return cursorPage(shown.map(toJson), {
    next: last ? [asText(last[by])] : null,
    filters,
    total,
    countedAt: total === maxRowsPerStatement ? ctx.now : null,
  });
}
