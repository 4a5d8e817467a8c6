import { type SQL, sql } from "drizzle-orm";
import { dayMs } from "../../core/time";

/** The day of a time in milliseconds. D1 turns every number it gets into a REAL, and a day must be an integer. */
export function dayOf(time: SQL): SQL {
  return sql`(CAST(${time} AS INTEGER) / ${sql.raw(String(dayMs))})`;
}

/** The last millisecond of a day. */
export function endOfDay(day: SQL): SQL {
  const length = sql.raw(String(dayMs));
  return sql`(${day} * ${length} + ${length} - 1)`;
}
