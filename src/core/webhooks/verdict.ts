import { type Backoff, backoffMs } from "../backoff";
import { dayMs, hourMs, minuteMs } from "../time";

/** How long a failing delivery is attempted. */
export const retryForMs = 3 * dayMs;

/** Waits of 1 minute, 5, 25, 2 hours, 10, and then 12: eleven attempts in three days. */
const retryBackoff: Backoff = { firstMs: minuteMs, growth: 5, maxMs: 12 * hourMs };
/** Each wait is up to a tenth longer, so that deliveries that failed together are not retried together. */
const jitter = 0.1;
const maxRetryAfterMs = 12 * hourMs;

/** The outcome of a call. `retryAfterMs` is for how long the endpoint asks not to be called. */
export type CallOutcome =
  | { kind: "answered"; status: number; retryAfterMs: number | null }
  | { kind: "timed out" | "unresolved" | "refused" | "failed" };

/** The consequence of an attempt for the delivery and for its endpoint. */
export type DeliveryVerdict =
  | { kind: "succeeded" }
  | { kind: "again"; waitMs: number; putOff: PutOff }
  /** Not tried again. `isGone`: the receiver wants no further deliveries. */
  | { kind: "failed"; isGone: boolean; putOff: PutOff };

/** How long the endpoint's other deliveries wait: not at all when null, longer each time when `silent`. */
export type PutOff = "silent" | { ms: number } | null;

interface AttemptHistory {
  /** Attempts before this one. */
  attempts: number;
  triesUntil: number;
}

export function judgeOutcome(
  outcome: CallOutcome,
  { attempts, triesUntil }: AttemptHistory,
  { now, random }: { now: number; random: number },
): DeliveryVerdict {
  if (outcome.kind === "answered" && outcome.status >= 200 && outcome.status < 300) return { kind: "succeeded" };
  const isGone = outcome.kind === "answered" && outcome.status === 410;
  const putOff = putOffBy(outcome);
  if (isGone || now >= triesUntil) return { kind: "failed", isGone, putOff };
  const backoff = Math.round(backoffMs(retryBackoff, attempts) * (1 + jitter * random));
  return { kind: "again", waitMs: Math.max(backoff, typeof putOff === "object" ? (putOff?.ms ?? 0) : 0), putOff };
}

/** Postpones an endpoint that timed out or could not be resolved, and one that asks for a pause. */
function putOffBy(outcome: CallOutcome): PutOff {
  if (outcome.kind === "timed out" || outcome.kind === "unresolved") return "silent";
  if (outcome.kind !== "answered" || outcome.retryAfterMs === null) return null;
  const isAsked = outcome.status === 429 || outcome.status === 503;
  return isAsked ? { ms: Math.min(outcome.retryAfterMs, maxRetryAfterMs) } : null;
}
