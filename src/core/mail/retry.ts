import { type Backoff, backoffMs } from "../backoff";
import { minuteMs, secondMs } from "../time";

/**
 * The maximum number of attempts for an email whose calls fail for temporary reasons, such as a 5xx. They span about an
 * hour.
 */
export const maxAttempts = 8;
const backoff: Backoff = { firstMs: 5 * secondMs, growth: 3, maxMs: 30 * minuteMs };

/**
 * Returns how long to wait after the given attempt (from 1): 5 s, then three times as long each time, up to half an
 * hour. Each wait is randomly shortened by up to a quarter, so that emails which failed together do not retry together.
 * `random` is from 0 up to 1; `askedMs` is the wait for which the provider asked, limited to the same half hour.
 */
export function retryDelayMs(attempt: number, random: number, askedMs = 0): number {
  const delayMs = backoffMs(backoff, attempt - 1) * (1 - random / 4);
  return Math.max(Math.round(delayMs), Math.min(askedMs, backoff.maxMs));
}
