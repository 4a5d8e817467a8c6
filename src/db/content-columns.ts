import { type SQL, sql } from "drizzle-orm";
import { toSnakeCase } from "drizzle-orm/casing";
import {
  type ContentChange,
  type ContentColumns,
  type ContentJson,
  contentColumnOf,
} from "../core/mail/content-fields";

const names = Object.entries(contentColumnOf) as [keyof ContentJson, keyof ContentColumns][];

/**
 * Returns an SQL list of the columns with an email's content. `of` is the name or the alias of the table in the
 * statement.
 */
export function contentOf(of: string): SQL {
  return sql.join(
    names.map(([, column]) => ofRows(of, column)),
    sql`, `,
  );
}

/**
 * Returns the values of the columns with an email's content. A column takes its value from `given` if that has one, and
 * otherwise from the row `of`.
 */
export function contentOver(of: string, given: ContentChange): Record<keyof ContentColumns, SQL> {
  const values = names.map(([name, column]) => {
    const value = given[name];
    return [column, value === undefined || value === null ? ofRows(of, column) : sql`${value}`];
  });
  return Object.fromEntries(values) as Record<keyof ContentColumns, SQL>;
}

/** The columns with an email's content, by the names that callers know and that the audit log shows. */
export const auditedContent = Object.fromEntries(
  names.map(([name, column]) => [name, sql.raw(toSnakeCase(column))]),
) as Record<keyof ContentJson, SQL>;

function ofRows(of: string, column: keyof ContentColumns): SQL {
  return sql.raw(`${of}.${toSnakeCase(column)}`);
}
