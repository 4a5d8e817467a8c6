import { type SQL, sql } from "drizzle-orm";
import { toSnakeCase } from "drizzle-orm/casing";
import type { ColumnName } from "../core/contacts/columns";

/** Returns a column of contacts in SQL, of this table or alias if one is given. */
export function contactColumn(name: ColumnName, of?: "c" | "contacts" | "excluded"): SQL {
  return sql.raw(`${of === undefined ? "" : `${of}.`}${toSnakeCase(name)}`);
}
