import { type Backoff, backoffMs } from "../backoff";
import { dayMs, hourMs, minuteMs } from "../time";

/** Failing tries go on for so long. */
export const triesForMs = 3 * dayMs;

/** Waits of 1 minute, 5, 25, 2 hours, 10, and then 12: eleven tries in three days. */
const untilNextTry: Backoff = { firstMs: minuteMs, growth: 5, maxMs: 12 * hourMs };
/** Each wait is up to a tenth longer, so that what failed together does not come again together. */
const jitter = 0.1;
const maxRetryAfterMs = 12 * hourMs;

/** What a call came to. `putOffMs` is how long the endpoint wants no call at all. */
export type Outcome =
  | { kind: "answered"; status: number; retryAfterMs: number | null }
  | { kind: "timed out" | "unresolved" | "refused" | "failed" };

/** What is next for a delivery, and for its endpoint. */
export type Verdict =
  | { kind: "succeeded" }
  | { kind: "again"; waitMs: number; putOff: PutOff }
  /** Not tried again. `isGone`: the receiver wants nothing any more. */
  | { kind: "failed"; isGone: boolean; putOff: PutOff };

/** Null: the endpoint's other deliveries need not wait. `silent`: for longer each time. */
export type PutOff = "silent" | { ms: number } | null;

interface Delivery {
  /** Tries before this one. */
  attempts: number;
  triesUntil: number;
}

export function judgeOutcome(
  outcome: Outcome,
  { attempts, triesUntil }: Delivery,
  { now, random }: { now: number; random: number },
): Verdict {
  if (outcome.kind === "answered" && outcome.status >= 200 && outcome.status < 300) return { kind: "succeeded" };
  const isGone = outcome.kind === "answered" && outcome.status === 410;
  const putOff = putOffBy(outcome);
  if (isGone || now >= triesUntil) return { kind: "failed", isGone, putOff };
  const backoff = Math.round(backoffMs(untilNextTry, attempts) * (1 + jitter * random));
  return { kind: "again", waitMs: Math.max(backoff, typeof putOff === "object" ? (putOff?.ms ?? 0) : 0), putOff };
}

/** An endpoint that keeps callers waiting gets no further call for a while, nor does one that asks for it. */
function putOffBy(outcome: Outcome): PutOff {
  if (outcome.kind === "timed out" || outcome.kind === "unresolved") return "silent";
  if (outcome.kind !== "answered" || outcome.retryAfterMs === null) return null;
  const isAsked = outcome.status === 429 || outcome.status === 503;
  return isAsked ? { ms: Math.min(outcome.retryAfterMs, maxRetryAfterMs) } : null;
}
