import { type SQL, sql } from "drizzle-orm";
import type { Backoff } from "../core/backoff";

/** A backoff that doubles: the only one that SQL has a form of. */
export type Doubling = Backoff & { growth: 2 };

/** `backoffMs` in SQL. `waits` is how many waits there were before: a column of the row, say. */
export function backoffInSql({ firstMs, maxMs }: Doubling, waits: SQL): SQL {
  // The doubling stops where the longest wait is reached, as a shift by 64 bits or more gives 0.
  const maxDoublings = Math.ceil(Math.log2(maxMs / firstMs));
  return sql`min(${firstMs} << min(${waits}, ${maxDoublings}), ${maxMs})`;
}
