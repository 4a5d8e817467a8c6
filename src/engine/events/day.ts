import { type SQL, sql } from "drizzle-orm";
import { dayMs } from "../../core/time";

/** Returns SQL for the day of a time in milliseconds. D1 binds every number as a REAL, and a day must be an integer. */
export function dayOf(time: SQL): SQL {
  return sql`(CAST(${time} AS INTEGER) / ${sql.raw(String(dayMs))})`;
}

/** Returns SQL for the last millisecond of a day. */
export function endOfDay(day: SQL): SQL {
  const length = sql.raw(String(dayMs));
  return sql`(${day} * ${length} + ${length} - 1)`;
}
