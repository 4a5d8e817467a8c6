import type { Id } from "./ids";

/** The rule of a token bucket: it holds at most `burst` tokens and regains `perSecond`. */
export interface Rate {
  burst: number;
  perSecond: number;
}

const addressPrefix = "address:";
const personPrefix = "person:";

/** Returns the name of the bucket of one network address. */
export function addressBucket(address: string): string {
  return `${addressPrefix}${address}`;
}

/** Returns the name of the bucket of one person. */
export function personBucket(person: Id): string {
  return `${personPrefix}${person}`;
}

export function isAddressBucket(name: string): boolean {
  return name.startsWith(addressPrefix);
}

export function isPersonBucket(name: string): boolean {
  return name.startsWith(personPrefix);
}

/**
 * Whether a bucket belongs to a single caller. There can be any number of callers, so the project's gate remembers only
 * the most recent ones.
 */
export function isCallersOwn(name: string): boolean {
  return isAddressBucket(name) || isPersonBucket(name);
}

/** The level of a bucket at a given time. */
export interface Level {
  tokens: number;
  atMs: number;
}

/** The state of a bucket, as the caller sees it. `retryAfterSeconds` is 0 when a token was available. */
export interface BucketState {
  name: string;
  limit: number;
  remaining: number;
  resetSeconds: number;
  retryAfterSeconds: number;
}

export interface Bucket {
  name: string;
  rate: Rate;
  level: Level | undefined;
}

/**
 * Takes one token from each bucket, or from none if any of them is empty. `tightest` is the bucket that refuses, or the
 * one with the fewest tokens left.
 */
export function takeFromAll(
  buckets: Bucket[],
  nowMs: number,
): { isAllowed: boolean; levels: Record<string, Level>; tightest: BucketState } {
  const filled = buckets.map((bucket) => ({ ...bucket, tokens: refilled(bucket, nowMs) }));
  const isAllowed = filled.every(({ tokens }) => tokens >= 1);
  const left = filled.map((bucket) => ({ ...bucket, tokens: bucket.tokens - (isAllowed ? 1 : 0) }));
  const states = left.map(stateOf).sort(byTightness);
  const [tightest] = states;
  if (!tightest) throw new Error("A request takes from at least one bucket");
  const levels = Object.fromEntries(left.map(({ name, tokens }) => [name, { tokens, atMs: nowMs }]));
  return { isAllowed, levels, tightest };
}

function refilled({ rate, level }: Bucket, nowMs: number): number {
  if (!level) return rate.burst;
  // A clock that goes back neither adds nor removes tokens.
  const seconds = Math.max(0, nowMs - level.atMs) / 1000;
  return Math.min(rate.burst, level.tokens + seconds * rate.perSecond);
}

function stateOf({ name, rate, tokens }: Bucket & { tokens: number }): BucketState {
  return {
    name,
    limit: rate.burst,
    remaining: Math.floor(tokens),
    resetSeconds: Math.ceil((rate.burst - tokens) / rate.perSecond),
    retryAfterSeconds: tokens >= 1 ? 0 : Math.max(1, Math.ceil((1 - tokens) / rate.perSecond)),
  };
}

function byTightness(a: BucketState, b: BucketState): number {
  return b.retryAfterSeconds - a.retryAfterSeconds || a.remaining - b.remaining;
}
