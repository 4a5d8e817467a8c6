import { getTableColumns, getTableName, SQL, sql } from "drizzle-orm";
import { toSnakeCase } from "drizzle-orm/casing";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";

/**
 * The columns of rows that an INSERT ... SELECT inserts: each is a value, or an expression over the rows of its query.
 */
export type SelectedRow<Table extends SQLiteTable> = {
  [Field in keyof Table["$inferInsert"]]: Table["$inferInsert"][Field] | SQL;
};

/**
 * Returns an INSERT that inserts a row for each row of `from`, or a single row without `from`. `from` is the SQL after
 * FROM, and contains a WHERE. A column that is left out takes its default. ON CONFLICT and RETURNING may follow.
 */
export function insertSelected<Table extends SQLiteTable>(table: Table, row: SelectedRow<Table>, from?: SQL): SQL {
  const known = getTableColumns(table);
  const given = Object.entries(row).filter(([, value]) => value !== undefined);
  const names = given.map(([field]) => toSnakeCase(field)).join(", ");
  const values = given.map(([field, value]) =>
    value === null || value instanceof SQL ? sql`${value}` : sql`${known[field]?.mapToDriverValue(value)}`,
  );
  return sql`INSERT INTO ${sql.raw(`${getTableName(table)} (${names})`)}
    SELECT ${sql.join(values, sql`, `)}
    FROM ${from ?? sql`(SELECT 1) WHERE true`}`;
}
