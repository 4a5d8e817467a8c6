/** Waits that grow with each attempt, up to a limit. */
export interface Backoff {
  firstMs: number;
  /** The factor from one wait to the next. */
  growth: number;
  maxMs: number;
}

/** Returns the wait that follows `waits` earlier waits. */
export function backoffMs({ firstMs, growth, maxMs }: Backoff, waits: number): number {
  return Math.min(firstMs * growth ** waits, maxMs);
}
