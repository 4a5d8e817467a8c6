import { secondMs } from "../time";

/**
 * The speed of the account's campaign mail: how many emails were read recently, and how long that took. It is measured
 * only while more campaign mail waits.
 */
export interface CampaignSpeed {
  mails: number;
  ms: number;
}

/** The length at which a measurement is halved, so that earlier mail counts less and less. */
const keptMs = 60 * secondMs;

/** The shortest measurement that is used. A shorter one is unreliable, because several consumers begin at once. */
const leastMs = secondMs;

/**
 * The longest gap between reads that is counted. During a longer gap, no consumer was working, or the provider did not
 * answer.
 */
const longestGapMs = 10 * secondMs;

export const unknownSpeed: CampaignSpeed = { mails: 0, ms: 0 };

/** Adds emails that were read `ms` after the previous ones, while the project had more mail waiting. */
export function withRead(before: CampaignSpeed, { mails, ms }: CampaignSpeed): CampaignSpeed {
  if (ms < 0 || ms > longestGapMs) return before;
  const after = { mails: before.mails + mails, ms: before.ms + ms };
  return after.ms < keptMs ? after : { mails: after.mails / 2, ms: after.ms / 2 };
}

/** Returns the emails per second; null while the measurement is too short. */
export function perSecondOf({ mails, ms }: CampaignSpeed): number | null {
  return ms < leastMs || mails < 1 ? null : (mails / ms) * secondMs;
}
