import { minuteMs } from "../time";
import type { Receipt } from "./receipt";
import { maxAttempts, retryDelayMs } from "./retry";
import type { Report } from "./status";

/** The facts about an attempt when the provider's answer arrives. Times are in milliseconds since 1970. */
export interface Try {
  /** The number of the attempt, from 1. */
  attempt: number;
  handedAt: number;
  /** The time of an earlier call whose outcome is still unknown. */
  uncertainSince: number | null;
  /** For how long the provider recognises a repeated mail; 0 when it does not. */
  idempotencyWindowMs: number;
  now: number;
  random: number;
}

/** The effect of one attempt, or of a decision not to attempt, on the email's row. */
export interface MailOutcome {
  status: "SENT" | "QUEUED" | "FAILED" | "SUPPRESSED" | "CANCELLED" | "UNKNOWN";
  error: string | null;
  providerMessageId: string | null;
  retryAt: number | null;
  uncertainSince: number | null;
  /** Whether the call does not count as an attempt, because the provider refused the account and not the mail. */
  isUntried: boolean;
  reports: Report[];
}

/**
 * Retries stop this long before the end of the idempotency window, because a later call might arrive after the window.
 */
const windowMarginMs = minuteMs;
const maxReasonLength = 500;

/** Ends an email without a call to the provider. An email that may have been sent stays UNKNOWN. */
export function ended(
  status: "FAILED" | "SUPPRESSED" | "CANCELLED",
  reason: string,
  uncertainSince: number | null = null,
): MailOutcome {
  return outcome(uncertainSince === null ? status : "UNKNOWN", { error: reason, uncertainSince });
}

/**
 * Keeps an email QUEUED that was not attempted. When `retryAt` is null, the mail waits until another write sets a due
 * time.
 */
export function held(reason: string, retryAt: number | null = null): MailOutcome {
  return outcome("QUEUED", { error: reason, retryAt });
}

/**
 * Ends an email that may have been sent, when it is too late to retry it: the provider would no longer recognise it.
 * Returns null while a retry is possible.
 */
export function outcomeOfLateRetry(
  uncertainSince: number | null,
  idempotencyWindowMs: number,
  now: number,
): MailOutcome | null {
  if (uncertainSince === null || isStillRecognised(uncertainSince, idempotencyWindowMs, now)) return null;
  return outcome("UNKNOWN", { error: lostOutcome, uncertainSince });
}

const lostOutcome = "The outcome is unknown: this email may or may not have been sent";

/**
 * Returns the email's next status from the provider's answer. An email with an unknown outcome is retried only while
 * the provider would recognise it, and never becomes FAILED, because it may have been sent.
 */
export function outcomeOf(receipt: Receipt, made: Try): MailOutcome {
  switch (receipt.kind) {
    case "accepted":
      return outcome("SENT", { providerMessageId: receipt.providerMessageId, reports: receipt.reports });
    case "refused":
      return made.uncertainSince === null
        ? outcome("FAILED", { error: receipt.reason })
        : unknown(receipt.reason, made);
    case "busy":
    case "unavailable":
      return again(receipt.reason, made, made.uncertainSince, receipt.retryAfterMs);
    case "throttled":
    case "blocked":
      return untried(receipt.reason, made);
    case "unknown":
      return again(receipt.reason, made, made.uncertainSince ?? made.handedAt);
  }
}

/** Returns the outcome of an email that the provider turns out to have, although its outcome was unknown. */
export function outcomeOfFound(providerMessageId: string): MailOutcome {
  return outcome("SENT", { providerMessageId });
}

/**
 * Returns the outcome of an email that the provider certainly does not have. Its outcome was unknown, but now another
 * attempt cannot send it twice.
 */
export function outcomeOfAbsent(attempts: number, now: number): MailOutcome {
  return attempts < maxAttempts
    ? outcome("QUEUED", { retryAt: now })
    : outcome("FAILED", { error: `Given up after ${attempts} tries: the mail provider never got this email` });
}

/**
 * The number of abandoned attempts after which an email is ended. In each of them, the email was handled alone and its
 * consumer died before the hand-over, so the email itself must be the cause.
 */
const maxAbandonments = 2;

/** Ends an email that too many consumers started and never finished; null while another attempt makes sense. */
export function outcomeOfAbandoned(abandonments: number, uncertainSince: number | null): MailOutcome | null {
  if (abandonments < maxAbandonments) return null;
  return ended("FAILED", "This email could not be composed: every try stopped without a result", uncertainSince);
}

/** An email that a consumer handed over without ever reporting the result. */
export interface Lost {
  handedAt: number;
  uncertainSince: number | null;
  idempotencyWindowMs: number;
  now: number;
}

/**
 * Returns the outcome of an email that may have been sent. It is queued again while the provider would recognise it;
 * after that its outcome stays unknown.
 */
export function outcomeOfLost({ handedAt, uncertainSince, idempotencyWindowMs, now }: Lost): MailOutcome {
  const since = uncertainSince ?? handedAt;
  if (isStillRecognised(since, idempotencyWindowMs, now)) {
    return outcome("QUEUED", { retryAt: now, uncertainSince: since });
  }
  return outcome("UNKNOWN", { error: lostOutcome, uncertainSince: since });
}

/** Whether the provider would still recognise an email with an unknown outcome at the given time. */
function isStillRecognised(uncertainSince: number, idempotencyWindowMs: number, at: number): boolean {
  return at < uncertainSince + idempotencyWindowMs - windowMarginMs;
}

function again(reason: string, made: Try, uncertainSince: number | null, askedMs?: number): MailOutcome {
  const retryAt = made.now + retryDelayMs(made.attempt, made.random, askedMs);
  const isUncertain = uncertainSince !== null;
  if (isUncertain && !isStillRecognised(uncertainSince, made.idempotencyWindowMs, retryAt))
    return unknown(reason, made);
  if (made.attempt < maxAttempts) return outcome("QUEUED", { error: reason, retryAt, uncertainSince });
  return isUncertain
    ? unknown(reason, made)
    : outcome("FAILED", { error: `Given up after ${made.attempt} tries: ${reason}` });
}

/** Returns an outcome with which the mail is due again at once, because the lane itself delays the next call. */
function untried(reason: string, made: Try): MailOutcome {
  const { uncertainSince, idempotencyWindowMs, now } = made;
  if (uncertainSince !== null && !isStillRecognised(uncertainSince, idempotencyWindowMs, now))
    return unknown(reason, made);
  return outcome("QUEUED", { error: reason, retryAt: now, uncertainSince, isUntried: true });
}

function unknown(reason: string, made: Try): MailOutcome {
  return outcome("UNKNOWN", { error: reason, uncertainSince: made.uncertainSince ?? made.handedAt });
}

function outcome(status: MailOutcome["status"], rest: Partial<MailOutcome>): MailOutcome {
  const { error = null, providerMessageId = null, retryAt = null, uncertainSince = null } = rest;
  const { isUntried = false, reports = [] } = rest;
  return {
    status,
    error: error?.slice(0, maxReasonLength) ?? null,
    providerMessageId,
    retryAt,
    uncertainSince,
    isUntried,
    reports,
  };
}
