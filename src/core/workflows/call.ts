import type { Backoff } from "../backoff";
import { isDeeperThan, type JsonValue } from "../json";
import { type OutboundResult, type PutOff, putOffBy, retryWaitMs } from "../outbound/verdict";
import { hourMs, minuteMs, secondMs } from "../time";
import type { StepOutcome } from "./outcome";

/** The next action for a call, and whether the host's other calls are postponed. */
export type CallVerdict =
  | { kind: "over"; outcome: StepOutcome; putOff: PutOff }
  | { kind: "again"; waitMs: number; isCounted: boolean; putOff: PutOff };

export const maxTries = 3;
/** The waits between tries: half a minute, then five minutes. */
const untilNextTry: Backoff = { firstMs: 30 * secondMs, growth: 10, maxMs: hourMs };
const maxRetryAfterMs = hourMs;

/** A call that has waited longer than this for a silent host fails without being made. */
export const maxWaitMs = hourMs;

/** Decides what follows an attempt to make a call. `attempts` is the number of earlier attempts. */
export function judgeCall(
  result: OutboundResult,
  { attempts, createdAt }: { attempts: number; createdAt: number },
  { now, random }: { now: number; random: number },
): CallVerdict {
  if (result.kind === "answered" && !isTriedAgain(result.status)) {
    return { kind: "over", outcome: answered(result), putOff: null };
  }
  const reason = reasonOf(result);
  const putOff = putOffBy(result, maxRetryAfterMs);
  if (result.kind === "refused") return { kind: "over", outcome: { kind: "failed", reason }, putOff };
  // If no resolver answered, no server was called, so the try does not count as an attempt.
  const isCounted = result.kind !== "unresolved";
  const isLast = isCounted ? attempts + 1 >= maxTries : now - createdAt >= maxWaitMs;
  if (isLast) return { kind: "over", outcome: { kind: "failed", reason }, putOff };
  const waitMs = retryWaitMs(untilNextTry, attempts, random);
  return { kind: "again", waitMs: isCounted ? waitMs : minuteMs, isCounted, putOff };
}

function isTriedAgain(status: number): boolean {
  return status === 429 || status >= 500;
}

function answered({ status, body }: { status: number; body: string }): StepOutcome {
  const success = status >= 200 && status < 300;
  return { kind: "done", output: { statusCode: status, success, response: read(body) } };
}

/**
 * How deeply an answer may be nested to be stored as JSON; a deeper one stays text. SQLite's JSON functions fail beyond
 * 1,000 levels.
 */
const maxLevels = 20;

/**
 * Parses JSON, so that later steps can name its parts. Anything that is not JSON, or is nested too deeply, stays text.
 */
function read(body: string): JsonValue {
  // NULs are removed, because SQLite would cut off a text at the first one.
  const text = body.replaceAll("\u0000", "");
  try {
    const value = JSON.parse(text) as JsonValue;
    return isDeeperThan(value, maxLevels) ? text : value;
  } catch {
    return text;
  }
}

function reasonOf(result: OutboundResult): string {
  return result.kind === "answered" ? `The endpoint answered ${result.status}.` : result.reason;
}
