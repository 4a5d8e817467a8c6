import { minuteMs } from "../time";
import type { Receipt } from "./receipt";
import { maxAttempts, retryDelayMs } from "./retry";
import type { Report } from "./status";

/** What is known of a mail when the provider's answer comes in. Times are milliseconds since 1970. */
export interface Try {
  /** 1 is the first. */
  attempt: number;
  handedAt: number;
  /** When an earlier call was made whose outcome is still unknown. */
  uncertainSince: number | null;
  /** How long the provider recognises a mail that comes again; 0 when it does not. */
  idempotencyWindowMs: number;
  now: number;
  random: number;
}

/** What one try, or the refusal to make one, means for the email's row. */
export interface Outcome {
  status: "SENT" | "QUEUED" | "FAILED" | "SUPPRESSED" | "CANCELLED" | "UNKNOWN";
  error: string | null;
  providerMessageId: string | null;
  retryAt: number | null;
  uncertainSince: number | null;
  reports: Report[];
}

/** A call that began just before the window ends may arrive after it. */
const windowMarginMs = minuteMs;
const maxReasonLength = 500;

/** An email that ends without the provider being asked. One that may already be out stays UNKNOWN all the same. */
export function ended(
  status: "FAILED" | "SUPPRESSED" | "CANCELLED",
  reason: string,
  uncertainSince: number | null = null,
): Outcome {
  return outcome(uncertainSince === null ? status : "UNKNOWN", { error: reason, uncertainSince });
}

/** A mail that may be out and was taken up again too late: the provider would take it for a new one. */
export function outcomeOfLateRetry(
  uncertainSince: number | null,
  idempotencyWindowMs: number,
  now: number,
): Outcome | null {
  if (uncertainSince === null || isStillRecognised(uncertainSince, idempotencyWindowMs, now)) return null;
  return outcome("UNKNOWN", { error: lostOutcome, uncertainSince });
}

const lostOutcome = "The outcome is unknown: this email may or may not have been sent";

/**
 * From the provider's answer to the email's next status. A mail whose outcome is unknown is only tried again while
 * the provider would recognise it, and never called FAILED: it may well be out.
 */
export function outcomeOf(receipt: Receipt, made: Try): Outcome {
  switch (receipt.kind) {
    case "accepted":
      return outcome("SENT", { providerMessageId: receipt.providerMessageId, reports: receipt.reports });
    case "refused":
      return made.uncertainSince === null
        ? outcome("FAILED", { error: receipt.reason })
        : unknown(receipt.reason, made);
    case "busy":
      return again(receipt.reason, made, made.uncertainSince, receipt.retryAfterMs);
    case "unknown":
      return again(receipt.reason, made, made.uncertainSince ?? made.handedAt);
  }
}

/** An email that was taken up so often and never handed over breaks whoever takes it. */
const mostAbandonments = 10;

/**
 * An email that is taken up once more, after so many consumers did so and were never heard of again; null while it is
 * worth a try.
 */
export function outcomeOfAbandoned(abandonments: number, uncertainSince: number | null): Outcome | null {
  if (abandonments + 1 < mostAbandonments) return null;
  return ended("FAILED", "This email could not be composed: every try stopped without a result", uncertainSince);
}

/** An email that was handed over by somebody who was never heard of again. */
export interface Lost {
  handedAt: number;
  uncertainSince: number | null;
  idempotencyWindowMs: number;
  now: number;
}

/** It may be out: back in line while the provider would recognise it, else nobody can say. */
export function outcomeOfLost({ handedAt, uncertainSince, idempotencyWindowMs, now }: Lost): Outcome {
  const since = uncertainSince ?? handedAt;
  if (isStillRecognised(since, idempotencyWindowMs, now)) {
    return outcome("QUEUED", { retryAt: now, uncertainSince: since });
  }
  return outcome("UNKNOWN", { error: lostOutcome, uncertainSince: since });
}

/** May a mail with an unknown outcome be handed over once more at the given time? */
function isStillRecognised(uncertainSince: number, idempotencyWindowMs: number, at: number): boolean {
  return at < uncertainSince + idempotencyWindowMs - windowMarginMs;
}

function again(reason: string, made: Try, uncertainSince: number | null, askedMs?: number): Outcome {
  const retryAt = made.now + retryDelayMs(made.attempt, made.random, askedMs);
  const isUncertain = uncertainSince !== null;
  if (isUncertain && !isStillRecognised(uncertainSince, made.idempotencyWindowMs, retryAt))
    return unknown(reason, made);
  if (made.attempt < maxAttempts) return outcome("QUEUED", { error: reason, retryAt, uncertainSince });
  return isUncertain
    ? unknown(reason, made)
    : outcome("FAILED", { error: `Given up after ${made.attempt} tries: ${reason}` });
}

function unknown(reason: string, made: Try): Outcome {
  return outcome("UNKNOWN", { error: reason, uncertainSince: made.uncertainSince ?? made.handedAt });
}

function outcome(status: Outcome["status"], rest: Partial<Outcome>): Outcome {
  const { error = null, providerMessageId = null, retryAt = null, uncertainSince = null, reports = [] } = rest;
  return {
    status,
    error: error?.slice(0, maxReasonLength) ?? null,
    providerMessageId,
    retryAt,
    uncertainSince,
    reports,
  };
}
