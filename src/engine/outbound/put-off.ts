import { type SQL, sql } from "drizzle-orm";
import type { PutOff } from "../../core/outbound/verdict";
import { hourMs, secondMs } from "../../core/time";
import { backoffInSql, type Doubling } from "../../db/backoff";

/** A receiver that times out is called again after 30 seconds, and each further timeout doubles the wait. */
const silence: Doubling = { firstMs: 30 * secondMs, growth: 2, maxMs: hourMs };

/**
 * Returns until when a receiver is not called after an attempt at this time, as SQL over the columns `put_off_until`
 * and `timeouts` of its row. A later time that another consumer has stored is retained.
 */
export function putOffUntil(at: number, putOff: PutOff): SQL {
  if (putOff === null) return sql`put_off_until`;
  const ms = putOff === "silent" ? backoffInSql(silence, sql`timeouts`) : sql`${putOff.ms}`;
  return sql`CAST(max(coalesce(put_off_until, 0), ${at} + ${ms}) AS INTEGER)`;
}
