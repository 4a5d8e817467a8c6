import { type SQL, sql } from "drizzle-orm";
import { toSnakeCase } from "drizzle-orm/casing";
import {
  type ContentChange,
  type ContentColumns,
  type ContentJson,
  contentColumnOf,
} from "../core/mail/content-fields";

const names = Object.entries(contentColumnOf) as [keyof ContentJson, keyof ContentColumns][];

/** Returns, as a list, the columns of a mail's content in the rows that the statement calls `of`. */
export function contentOf(of: string): SQL {
  return sql.join(
    names.map(([, column]) => ofRows(of, column)),
    sql`, `,
  );
}

/** Returns the same columns, each with the value of `given` where it has one. */
export function contentOver(of: string, given: ContentChange): Record<keyof ContentColumns, SQL> {
  const values = names.map(([name, column]) => {
    const value = given[name];
    return [column, value === undefined || value === null ? ofRows(of, column) : sql`${value}`];
  });
  return Object.fromEntries(values) as Record<keyof ContentColumns, SQL>;
}

/** The same columns by the names that callers know, as the audit log shows them. */
export const auditedContent = Object.fromEntries(
  names.map(([name, column]) => [name, sql.raw(toSnakeCase(column))]),
) as Record<keyof ContentJson, SQL>;

function ofRows(of: string, column: keyof ContentColumns): SQL {
  return sql.raw(`${of}.${toSnakeCase(column)}`);
}
