import { getTableColumns, type InferSelectModel } from "drizzle-orm";
import { toSnakeCase } from "drizzle-orm/casing";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";

/** A row as a raw statement returns it → the row as drizzle would have read it. The statement selects whole rows. */
export function readRow<T extends SQLiteTable>(
  table: T,
  raw: Record<string, unknown> | undefined,
): InferSelectModel<T> {
  if (!raw) throw new Error("A statement that always returns a row returned none");
  const fields = Object.entries(getTableColumns(table)).map(([field, column]) => {
    const value = raw[toSnakeCase(field)];
    return [field, value === null || value === undefined ? null : column.mapFromDriverValue(value)];
  });
  // Each column of the table was read with its own decoder, which is what the model's type is made of.
  return Object.fromEntries(fields) as InferSelectModel<T>;
}
