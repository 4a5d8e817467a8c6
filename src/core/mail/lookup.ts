import { dayMs, minuteMs } from "../time";

/**
 * When a mail whose outcome is unknown is looked for at a provider that can be asked. The times are counted from its call.
 *
 * Postmark says that an accepted mail can be searched for while it still waits there, but not how soon. So one answer without
 * the mail proves nothing: three do, far apart.
 */
const lookUpsAfterMs = [2 * minuteMs, 10 * minuteMs, 60 * minuteMs] as const;

/** A provider that cannot be asked for this long is not asked again: the outcome stays unknown. */
const maxAgeMs = dayMs;

export function firstLookUpAt(calledAt: number): number {
  return calledAt + lookUpsAfterMs[0];
}

/** A mail that is looked for. */
export interface Sought {
  calledAt: number;
  /** Answers so far that did not have it. */
  lookUps: number;
  now: number;
}

/** When a mail that was not found is looked for again; null when it is surely not there. Late answers stay as far apart. */
export function nextLookUpAt({ lookUps, now }: Pick<Sought, "lookUps" | "now">): number | null {
  const [before, next] = lookUpsAfterMs.slice(lookUps, lookUps + 2);
  return before === undefined || next === undefined ? null : now + next - before;
}

/** When a mail is looked for again after the provider gave no answer: twice as late each time; null for never. */
export function lookUpAgainAt({ calledAt, now }: Pick<Sought, "calledAt" | "now">): number | null {
  const at = now + Math.max(minuteMs, now - calledAt);
  return at < calledAt + maxAgeMs ? at : null;
}
