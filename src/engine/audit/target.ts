import { type SQL, sql } from "drizzle-orm";
import { idMark, timeMark } from "../../core/audit/changes";
import type { Id } from "../../core/ids";

/** The row that a call changes, and how an entry shows that row. */
export interface Target {
  /** The project's number, or `installation`. */
  project: number;
  type: string;
  /** The id of the row; null when the change concerns the whole installation. */
  id: Id | SQL | null;
  /** The table and the condition that find the row, in the form that follows FROM. */
  row: SQL;
  /** The row's name, as an SQL expression. */
  name: SQL;
  /** The values that an entry shows, by their names in answers. */
  fields: Record<string, SQL>;
  /** Values for which an entry only shows that they changed: secrets and bodies. */
  hidden?: Record<string, SQL>;
}

/** Returns the value of a column that contains JSON. */
export function asJson(column: SQL): SQL {
  return sql`json(${column})`;
}

/** Returns the result of a condition as a JSON boolean. */
export function asFlag(condition: SQL): SQL {
  return sql`json(iif(${condition}, 'true', 'false'))`;
}

/** Returns an id column's value, marked as an id. */
export function asId(column: SQL): SQL {
  return sql`json('{"${sql.raw(idMark)}":"' || ${column} || '"}')`;
}

/** Returns a time column's value, marked as a time. */
export function asTime(column: SQL): SQL {
  return sql`json('{"${sql.raw(timeMark)}":' || ${column} || '}')`;
}
