import { type SQL, sql } from "drizzle-orm";
import type { PutOff } from "../../core/outbound/verdict";
import { hourMs, secondMs } from "../../core/time";
import { backoffInSql, type Doubling } from "../../db/backoff";

/** A receiver that times out is called again after 30 seconds, and each further timeout doubles the wait. */
const silence: Doubling = { firstMs: 30 * secondMs, growth: 2, maxMs: hourMs };

/**
 * Returns the assignments to a receiver's row that postpone the receiver after an attempt at the time `at`. If another
 * consumer has stored a later time, that time stays.
 */
export function postponed(at: number, putOff: PutOff): SQL {
  if (putOff === null) return sql`put_off_until = put_off_until`;
  const isSilent = putOff === "silent";
  const ms = isSilent ? backoffInSql(silence, sql`timeouts`) : sql`${putOff.ms}`;
  return sql`put_off_until = CAST(max(coalesce(put_off_until, 0), ${at} + ${ms}) AS INTEGER),
    timeouts = timeouts + ${isSilent ? 1 : 0}`;
}

/** The assignments to a receiver's row that end its postponement. */
export const notPostponed = sql`put_off_until = NULL, timeouts = 0`;
