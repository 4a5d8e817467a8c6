import { getTableColumns, type InferSelectModel } from "drizzle-orm";
import { toSnakeCase } from "drizzle-orm/casing";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import { type Id, asId as idOf } from "../core/ids";
import type { Priority } from "../core/mail/priority";

/** A row as D1 returns it: columns by their SQL names. */
export type RawRow = Record<string, unknown>;

/**
 * Turns a raw row into a typed one. Throws when a column is missing or has another type, because the statement must
 * then be wrong.
 */
export type RowReader<Row> = (raw: RawRow) => Row;

type ColumnReader<T> = (value: unknown) => T;

export const asText: ColumnReader<string> = (value) => {
  if (typeof value !== "string") throw new TypeError(`is ${describe(value)}, not a text`);
  return value;
};

/** Reads an id in its stored form. */
export const asId: ColumnReader<Id> = (value) => idOf(asText(value));

export const asNumber: ColumnReader<number> = (value) => {
  if (typeof value !== "number") throw new TypeError(`is ${describe(value)}, not a number`);
  return value;
};

/** Reads a boolean. SQLite has no booleans; its conditions return 1 or 0. */
export const asFlag: ColumnReader<boolean> = (value) => {
  if (value !== 0 && value !== 1) throw new TypeError(`is ${describe(value)}, not 1 or 0`);
  return value === 1;
};

/** Reads JSON from text. Our own code wrote it, so its shape is not checked. */
export function asJson<T>(): ColumnReader<T> {
  return (value) => JSON.parse(asText(value)) as T;
}

/**
 * Reads a string that is one of a fixed set. The value is not checked, because the statement or a CHECK constraint
 * guarantees it.
 */
export function asOneOf<T extends string>(): ColumnReader<T> {
  return (value) => asText(value) as T;
}

/** Reads a priority. The value is not checked, because only our own statements write it. */
export const asPriority: ColumnReader<Priority> = (value) => asNumber(value) as Priority;

export function orNull<T>(read: ColumnReader<T>): ColumnReader<T | null> {
  return (value) => (value === null ? null : read(value));
}

/** Returns a reader for the columns of a statement: `{ contactId: asText }` reads `contact_id`. */
export function columns<Shape extends Record<string, ColumnReader<unknown>>>(
  shape: Shape,
): RowReader<{ [Field in keyof Shape]: ReturnType<Shape[Field]> }> {
  const readers = Object.entries(shape).map(([field, read]) => [field, toSnakeCase(field), read] as const);
  return (raw) => {
    const row: Record<string, unknown> = {};
    for (const [field, column, read] of readers) row[field] = readColumn(raw, column, read);
    // The cast is safe: each field was read by the reader that the shape names for it.
    return row as { [Field in keyof Shape]: ReturnType<Shape[Field]> };
  };
}

/**
 * Returns a reader for whole rows of a table, from `SELECT *` and `RETURNING *`. Readers are created once per table and
 * isolate.
 */
export function wholeRow<Table extends SQLiteTable>(table: Table): RowReader<InferSelectModel<Table>> {
  // The cast is safe: the map holds, for each table, the reader of its own rows.
  const known = wholeRows.get(table) as RowReader<InferSelectModel<Table>> | undefined;
  if (known) return known;
  const reader = newWholeRow(table);
  wholeRows.set(table, reader);
  return reader;
}

const wholeRows = new WeakMap<SQLiteTable, RowReader<unknown>>();

function newWholeRow<Table extends SQLiteTable>(table: Table): RowReader<InferSelectModel<Table>> {
  const readers = columnsOf(table).map(({ field, name, column }) => {
    const read = (value: unknown) => (value === null ? null : column.mapFromDriverValue(value));
    return [field, name, read] as const;
  });
  return (raw) => {
    const row: Record<string, unknown> = {};
    for (const [field, column, read] of readers) row[field] = readColumn(raw, column, read);
    // The cast is safe: each value was decoded by its own column, and the type of the model comes from the columns.
    return row as InferSelectModel<Table>;
  };
}

interface TableColumn {
  field: string;
  /** The name in SQL. */
  name: string;
  column: SQLiteColumn;
}

const columnsOfTables = new WeakMap<SQLiteTable, TableColumn[]>();

/** Returns the columns of a table, in their order. */
export function columnsOf(table: SQLiteTable): TableColumn[] {
  const known = columnsOfTables.get(table);
  if (known) return known;
  const found = Object.entries(getTableColumns(table)).map(([field, column]) => {
    return { field, name: toSnakeCase(field), column };
  });
  columnsOfTables.set(table, found);
  return found;
}

function readColumn<T>(raw: RawRow, column: string, read: ColumnReader<T>): T {
  const value = raw[column];
  if (value === undefined) throw new Error(`The statement returned no column ${column}`);
  try {
    return read(value);
  } catch (cause) {
    throw new Error(`The column ${column} ${cause instanceof Error ? cause.message : "cannot be read"}`, { cause });
  }
}

function describe(value: unknown): string {
  return value === null ? "null" : typeof value;
}
