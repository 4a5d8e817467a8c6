import type { Rate } from "../core/bucket";

/**
 * The rate-limit buckets that routes name in their policies. Each has the defaults of its settings,
 * `RATE_LIMIT_<NAME>_PER_SECOND` and `RATE_LIMIT_<NAME>_BURST`.
 */
export const routeBuckets = {
  track: { perSecond: 100, burst: 200 },
  send: { perSecond: 20, burst: 50 },
  contacts: { perSecond: 50, burst: 100 },
} satisfies Record<string, Rate>;

export type RouteBucket = keyof typeof routeBuckets;
