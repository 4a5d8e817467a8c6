/** Waits that grow from one try to the next, up to a longest one. */
export interface Backoff {
  firstMs: number;
  /** Each wait is so many times the one before it. */
  growth: number;
  maxMs: number;
}

/** The wait that follows `waits` earlier ones. */
export function backoffMs({ firstMs, growth, maxMs }: Backoff, waits: number): number {
  return Math.min(firstMs * growth ** waits, maxMs);
}
