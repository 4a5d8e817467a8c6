import { dayMs, minuteMs } from "../time";

/**
 * How long after a call the provider is asked about an email with an unknown outcome. Only some providers can be asked.
 *
 * Postmark says that an accepted mail can be found while it is still queued there, but not how soon. So a single answer
 * without the mail proves nothing, but three answers that are far apart do.
 */
const lookUpsAfterMs = [2 * minuteMs, 10 * minuteMs, 60 * minuteMs] as const;

/** After this time a provider that did not answer is not asked again: the outcome stays unknown. */
const maxAgeMs = dayMs;

export function firstLookUpAt(calledAt: number): number {
  return calledAt + lookUpsAfterMs[0];
}

/** An email about which the provider is asked. */
export interface Sought {
  calledAt: number;
  /** The number of answers so far that did not contain the mail. */
  lookUps: number;
  now: number;
}

/**
 * Returns when to ask again about an email that was not found; null when the provider certainly does not have it. An
 * interval begins at the previous answer, so it keeps its length when that answer was late.
 */
export function nextLookUpAt({ lookUps, now }: Pick<Sought, "lookUps" | "now">): number | null {
  const [before, next] = lookUpsAfterMs.slice(lookUps, lookUps + 2);
  return before === undefined || next === undefined ? null : now + next - before;
}

/**
 * Returns when to ask again after the provider did not answer; null when it is not asked again. The time since the call
 * doubles from one question to the next.
 */
export function lookUpAgainAt({ calledAt, now }: Pick<Sought, "calledAt" | "now">): number | null {
  const at = now + Math.max(minuteMs, now - calledAt);
  return at < calledAt + maxAgeMs ? at : null;
}
