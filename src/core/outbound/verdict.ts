import { type Backoff, backoffMs } from "../backoff";

/** The result of a call to a tenant's URL. `reason` is a sentence for the tenant. */
export type OutboundResult =
  | { kind: "answered"; status: number; body: string; retryAfterMs: number | null }
  /** The URL may not be called, or redirects to one that may not. */
  | { kind: "refused"; reason: string }
  | { kind: "timed out"; reason: string }
  /** No resolver answered, so no call was made. Another attempt may succeed. */
  | { kind: "unresolved"; reason: string }
  | { kind: "failed"; reason: string };

/** The part of a result that determines what happens next. `retryAfterMs` is the pause for which the receiver asks. */
export type CallOutcome =
  | { kind: "answered"; status: number; retryAfterMs: number | null }
  | { kind: Exclude<OutboundResult["kind"], "answered"> };

/** How long other calls to a receiver wait: for `ms`; longer each time when "silent"; not at all when null. */
export type PutOff = "silent" | { ms: number } | null;

/**
 * Returns how long other calls wait for a receiver that timed out, could not be resolved, or asks for a pause; null for
 * any other outcome.
 */
export function putOffBy(outcome: CallOutcome, maxRetryAfterMs: number): PutOff {
  if (outcome.kind === "timed out" || outcome.kind === "unresolved") return "silent";
  if (outcome.kind !== "answered" || outcome.retryAfterMs === null) return null;
  const isAsked = outcome.status === 429 || outcome.status === 503;
  return isAsked ? { ms: Math.min(outcome.retryAfterMs, maxRetryAfterMs) } : null;
}

const jitter = 0.1;

/**
 * Returns the wait before the next attempt. It is up to a tenth longer at random, so that calls that failed together
 * are not repeated together.
 */
export function retryWaitMs(backoff: Backoff, attempts: number, random: number): number {
  return Math.round(backoffMs(backoff, attempts) * (1 + jitter * random));
}
