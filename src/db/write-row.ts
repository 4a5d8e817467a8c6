import { getTableName, type InferInsertModel, type InferSelectModel, SQL, sql } from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Id } from "../core/ids";
import { rowById } from "./own-rows";
import { columnsOf, wholeRow } from "./rows";
import { inProject, type Owner } from "./scope";
import { type Statement, type StatementRefusal, statement } from "./statement";

/** A table whose rows belong to projects and have an id. */
export type TenantTable = SQLiteTable & { projectId: SQLiteColumn; id: SQLiteColumn };

/** The values of a row, by the fields of its table. A value can be an SQL expression. Undefined values are left out. */
type Values<Model> = { [Field in keyof Model]: Model[Field] | SQL };

/** The values of a new row, including the id that its batch has made. */
type NewRow<Table extends SQLiteTable> = Values<InferInsertModel<Table>> & { projectId: number; id: Id };

/** Changes to a row. The row's id and its project never change. */
type Changes<Table extends SQLiteTable> = Partial<Values<Omit<InferInsertModel<Table>, "projectId" | "id">>>;

/** Inserts a row and returns all of it; with `onlyIf`, only if the condition holds. */
export function insertRow<Table extends TenantTable>(
  table: Table,
  row: NewRow<Table>,
  { onlyIf, refusals }: { onlyIf?: SQL; refusals?: readonly StatementRefusal[] } = {},
): Statement<InferSelectModel<Table>> {
  const name = getTableName(table);
  const given = givenValues(table, row);
  const names = sql.raw(given.map((each) => each.name).join(", "));
  const values = list(
    given.map(({ value }) => sql`${value}`),
    ", ",
  );
  const source = onlyIf ? sql`SELECT ${values} WHERE ${onlyIf}` : sql`VALUES (${values})`;
  const again = rowById(name, { project: { number: row.projectId } }, row.id);
  return statement(sql`INSERT INTO ${sql.raw(name)} (${names}) ${source} RETURNING *`, wholeRow(table), {
    refusals,
    again,
  });
}

/**
 * Changes columns of a row and returns the whole row; with `onlyIf`, only if the condition holds. In a table with
 * versions, the version increases. `updatedAt` becomes the current time but never goes back, because a call that began
 * earlier can write later.
 */
export function updateRow<Table extends TenantTable>(
  ctx: Owner & { now: Date },
  table: Table,
  id: Id,
  changes: Changes<Table>,
  onlyIf?: SQL,
): Statement<InferSelectModel<Table>> {
  const name = getTableName(table);
  const stamps = { version: sql`version + 1`, updatedAt: sql`max(updated_at, ${ctx.now.getTime()})` };
  const sets = givenValues(table, { ...stamps, ...changes }).map((each) => sql`${sql.raw(each.name)} = ${each.value}`);
  const isRow = sql`${inProject(ctx)} AND id = ${id}${onlyIf ? sql` AND ${onlyIf}` : sql``}`;
  return statement(sql`UPDATE ${sql.raw(name)} SET ${list(sets, ", ")} WHERE ${isRow} RETURNING *`, wholeRow(table), {
    again: rowById(name, ctx, id),
  });
}

/** Returns the condition that the changes would alter at least one column of the row. */
export function isOther<Table extends SQLiteTable>(table: Table, changes: Changes<Table>): SQL {
  const others = givenValues(table, changes).map(({ name, value }) => sql`${sql.raw(name)} IS NOT ${value}`);
  return others.length === 0 ? sql`false` : sql`(${list(others, " OR ")})`;
}

/** Returns the values as a statement binds them, in the order of the table's columns. */
function givenValues(table: SQLiteTable, values: Record<string, unknown>): { name: string; value: unknown }[] {
  return columnsOf(table).flatMap(({ field, name, column }) => {
    const value = values[field];
    if (value === undefined) return [];
    return { name, value: value === null || value instanceof SQL ? value : column.mapToDriverValue(value) };
  });
}

function list(parts: SQL[], separator: string): SQL {
  return sql.join(parts, sql.raw(separator));
}
