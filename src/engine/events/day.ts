import { type SQL, sql } from "drizzle-orm";
import { dayMs } from "../../core/time";

/** The day of a time in milliseconds. It is whole only as long as nothing in it is a parameter, which D1 makes a REAL. */
export function dayOf(time: SQL): SQL {
  return sql`(${time} / ${sql.raw(String(dayMs))})`;
}
