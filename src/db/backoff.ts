import { type SQL, sql } from "drizzle-orm";
import type { Backoff } from "../core/backoff";

/** A backoff that doubles. Only this kind can be written in SQL. */
export type Doubling = Backoff & { growth: 2 };

/**
 * Returns `backoffMs` as an SQL expression. `waits` is the number of earlier waits, for example a column of the row.
 */
export function backoffInSql({ firstMs, maxMs }: Doubling, waits: SQL): SQL {
  // Limits the doublings to the number that reaches the maximum wait, because SQLite returns 0 for a shift by 64 bits
  // or more.
  const maxDoublings = Math.ceil(Math.log2(maxMs / firstMs));
  return sql`min(${firstMs} << min(${waits}, ${maxDoublings}), ${maxMs})`;
}
