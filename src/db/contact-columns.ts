import { type SQL, sql } from "drizzle-orm";
import { toSnakeCase } from "drizzle-orm/casing";
import type { ColumnName } from "../core/contacts/columns";

/** Returns a column of contacts in SQL. If `of` is given, the column is prefixed with this table or alias. */
export function contactColumn(name: ColumnName, of?: "c" | "contacts" | "excluded"): SQL {
  return sql.raw(`${of === undefined ? "" : `${of}.`}${toSnakeCase(name)}`);
}
