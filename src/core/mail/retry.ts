import { type Backoff, backoffMs } from "../backoff";
import { minuteMs, secondMs } from "../time";

/** Tries a mail gets when the provider answers 429 or 5xx; together they span about an hour. */
export const maxAttempts = 8;
const backoff: Backoff = { firstMs: 5 * secondMs, growth: 3, maxMs: 30 * minuteMs };

/**
 * How long to wait after the given try (1 is the first): 5 s, then three times as long each time, up to half an hour.
 * Each wait is up to a quarter shorter at random, so that mails which failed together do not retry together. `random`
 * is between 0 and 1; `askedMs` is the provider's own wish, limited to the same half hour.
 */
export function retryDelayMs(attempt: number, random: number, askedMs = 0): number {
  const delayMs = backoffMs(backoff, attempt - 1) * (1 - random / 4);
  return Math.max(Math.round(delayMs), Math.min(askedMs, backoff.maxMs));
}
