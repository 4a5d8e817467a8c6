import { getTableName, type InferSelectModel, type SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import { NotFound } from "../../core/errors";
import type { Id } from "../../core/ids";
import { keptInTrashMs, type TrashType } from "../../core/trash";
import type { Batch } from "../../db/batch";
import { Stale } from "../../db/fresh";
import { isInserted } from "../../db/own-rows";
import { columnsOf, type RawRow, wholeRow } from "../../db/rows";
import { inProject } from "../../db/scope";
import { selectFirst, statement } from "../../db/statement";
import { type TrashRow, trash } from "../../db/tables";
import type { Context } from "../../platform/context";
import { refuseRepeat } from "./keyed";
import { storedAs } from "./put-away";

/**
 * Matches the entries that can still be restored. The times are checked here, because the sweep deletes an entry only
 * some time after it ends, and follows the real clock even in a project with a test clock.
 */
export function isKept(ctx: Context): SQL {
  return sql`deleted_at > ${ctx.now.getTime() - keptInTrashMs} AND purge_at > ${ctx.realClock().getTime()}`;
}

/**
 * Returns the entry of a deleted resource. Throws NotFound, also after 30 days, and KeyReused if a call with the same
 * idempotency key has restored the resource.
 */
export async function getEntry(ctx: Context, type: TrashType, id: Id): Promise<TrashRow> {
  const row = await selectFirst(
    ctx.db,
    sql`SELECT * FROM trash WHERE ${isEntry(ctx, { type, id })} AND ${isKept(ctx)}`,
    wholeRow(trash),
  );
  if (row !== null) return row;
  await refuseRepeat(ctx, { type, id });
  throw new NotFound("trash entry", id);
}

/** Matches the entry of a resource. */
export function isEntry(ctx: Context, { type, id }: Pick<TrashRow, "type" | "id">): SQL {
  return sql`${inProject(ctx)} AND type = ${type} AND id = ${id}`;
}

interface Content {
  note: unknown;
  [table: string]: unknown;
}

// Our own statement wrote this JSON: see `putAway`.
const contentOf = ({ content }: TrashRow): Content => JSON.parse(content);

/** Returns the note that was stored with the rows. */
export function noteIn(entry: TrashRow): unknown {
  return contentOf(entry).note;
}

/** Returns the rows of an entry that were in `table`. A column that is newer than the entry gets its default. */
export function rowsIn<Table extends SQLiteTable>(entry: TrashRow, table: Table): InferSelectModel<Table>[] {
  const stored = (contentOf(entry)[getTableName(table)] ?? []) as RawRow[];
  return stored.map((raw) => {
    const values = columnsOf(table).flatMap(({ field, name, column }) => {
      if (name === "project_id") return [[field, entry.projectId]];
      const value = raw[name];
      if (value === undefined) return [];
      return [[field, value === null ? null : column.mapFromDriverValue(value)]];
    });
    // The fields are those of the table, and each value was decoded by its own column.
    return Object.fromEntries(values) as InferSelectModel<Table>;
  });
}

/** Returns the resource's own row. */
export function rowIn<Table extends SQLiteTable>(entry: TrashRow, table: Table): InferSelectModel<Table> {
  const [row] = rowsIn(entry, table);
  if (row === undefined) throw new Error(`An entry of the trash has no row of ${getTableName(table)}`);
  return row;
}

/**
 * Begins the batch that restores a resource: takes its entry out of the trash. Throws Stale if the entry is no longer
 * the one that was read, so that only one of several calls restores it. After a lost answer, the batch recognises that
 * the resource exists again. Another call might have restored it meanwhile, but the effect and the answer are the same.
 */
export function takeOut(batch: Batch, ctx: Context, entry: TrashRow): void {
  const isIt = sql`${isEntry(ctx, entry)} AND deleted_at = ${entry.deletedAt}`;
  batch.recognise(isInserted(getTableName(storedAs[entry.type].table), ctx, entry.id));
  batch.guard(sql`EXISTS (SELECT 1 FROM trash WHERE ${isIt} AND ${isKept(ctx)})`, () => new Stale());
  batch.add(statement(sql`DELETE FROM trash WHERE ${isIt}`));
}
