import { type SQL, sql } from "drizzle-orm";
import { hourMs, secondMs } from "../../core/time";
import type { PutOff } from "../../core/webhooks/verdict";
import { backoffInSql, type Doubling } from "../../db/backoff";

/** Who keeps callers waiting is called again after 30 seconds, then twice as late each time. */
const silence: Doubling = { firstMs: 30 * secondMs, growth: 2, maxMs: hourMs };

/**
 * Until when a receiver gets no call after one at this time, from the columns `put_off_until` and `timeouts` of its row.
 * One that was put off for longer by another consumer stays so.
 */
export function putOffUntil(at: number, putOff: PutOff): SQL {
  if (putOff === null) return sql`put_off_until`;
  const ms = putOff === "silent" ? backoffInSql(silence, sql`timeouts`) : sql`${putOff.ms}`;
  return sql`CAST(max(coalesce(put_off_until, 0), ${at} + ${ms}) AS INTEGER)`;
}
