import { type SQL, sql } from "drizzle-orm";
import type { PutOff } from "../../core/outbound/verdict";
import { hourMs, secondMs } from "../../core/time";
import { backoffInSql, type Doubling } from "../../db/backoff";

/** A receiver that times out is called again after 30 seconds, and each further timeout doubles the wait. */
const silence: Doubling = { firstMs: 30 * secondMs, growth: 2, maxMs: hourMs };

/**
 * Postpones a receiver after an attempt at this time, as assignments to columns of its row. A later time that another
 * consumer has stored is retained.
 */
export function postponed(at: number, putOff: PutOff): SQL {
  if (putOff === null) return sql`put_off_until = put_off_until`;
  const isSilent = putOff === "silent";
  const ms = isSilent ? backoffInSql(silence, sql`timeouts`) : sql`${putOff.ms}`;
  return sql`put_off_until = CAST(max(coalesce(put_off_until, 0), ${at} + ${ms}) AS INTEGER),
    timeouts = timeouts + ${isSilent ? 1 : 0}`;
}

/** Ends the postponement of a receiver, as assignments to columns of its row. */
export const notPostponed = sql`put_off_until = NULL, timeouts = 0`;
