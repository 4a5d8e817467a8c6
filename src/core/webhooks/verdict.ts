import type { Backoff } from "../backoff";
import { type CallOutcome, type PutOff, putOffBy, retryWaitMs } from "../outbound/verdict";
import { dayMs, hourMs, minuteMs } from "../time";

/** How long a failing delivery is retried. */
export const retryForMs = 3 * dayMs;

/**
 * The waits between attempts: 1, 5 and 25 minutes, about 2 and 10 hours, then 12 hours each time. The eleventh attempt
 * comes after three days and is the last.
 */
const retryBackoff: Backoff = { firstMs: minuteMs, growth: 5, maxMs: 12 * hourMs };
const maxRetryAfterMs = 12 * hourMs;

/** The consequence of an attempt for the delivery and for its endpoint. */
export type DeliveryVerdict =
  | { kind: "succeeded" }
  | { kind: "again"; waitMs: number; putOff: PutOff }
  /** The delivery is not retried. `isGone`: the receiver wants no further deliveries. */
  | { kind: "failed"; isGone: boolean; putOff: PutOff };

interface AttemptHistory {
  /** The number of earlier attempts. */
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
  const putOff = putOffBy(outcome, maxRetryAfterMs);
  if (isGone || now >= triesUntil) return { kind: "failed", isGone, putOff };
  const backoff = retryWaitMs(retryBackoff, attempts, random);
  return { kind: "again", waitMs: Math.max(backoff, typeof putOff === "object" ? (putOff?.ms ?? 0) : 0), putOff };
}
