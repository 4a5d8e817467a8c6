import { type SQL, sql } from "drizzle-orm";
import { idMark, timeMark } from "../../core/audit/changes";
import type { Id } from "../../core/ids";

/** The number of the project that changes of the installation itself are stored under. No project has it. */
export const installation = 0;

/** The row that a call changes, and how an entry shows it. */
export interface Target {
  /** The project's number, or `installation`. */
  project: number;
  type: string;
  /** Null when the change is of the whole installation. */
  id: Id | SQL | null;
  /** Finds the row: the table and the condition, as they follow FROM. */
  row: SQL;
  /** Its name, as an expression over the row. */
  name: SQL;
  /** The values that an entry shows, by the names that our answers give them. */
  fields: Record<string, SQL>;
  /** Values of which an entry says only that they changed: secrets and bodies. */
  hidden?: Record<string, SQL>;
}

/** The value of a column with JSON. */
export function asJson(column: SQL): SQL {
  return sql`json(${column})`;
}

/** Whether a condition holds. */
export function asFlag(condition: SQL): SQL {
  return sql`json(iif(${condition}, 'true', 'false'))`;
}

/** The value of a column with an id. */
export function asId(column: SQL): SQL {
  return sql`json('{"${sql.raw(idMark)}":"' || ${column} || '"}')`;
}

/** The value of a column with a time. */
export function asTime(column: SQL): SQL {
  return sql`json('{"${sql.raw(timeMark)}":' || ${column} || '}')`;
}
