import { secondMs } from "../time";

/**
 * The speed of the account's campaign mail while more of it waits: the mails that were read recently, and the time that
 * this took. It is plain data.
 */
export interface CampaignSpeed {
  mails: number;
  ms: number;
}

/** The period that counts in full. Earlier mail counts less and less. */
const keptMs = 60 * secondMs;

/** Less is chance: several consumers begin at once. */
const leastMs = secondMs;

/** After a longer gap nobody was at work, or the provider was away. */
const longestGapMs = 10 * secondMs;

export const unknownSpeed: CampaignSpeed = { mails: 0, ms: 0 };

/** Adds mails that were read `elapsedMs` after the ones before, of a project that had more mail all that time. */
export function withRead(before: CampaignSpeed, { mails, ms }: CampaignSpeed): CampaignSpeed {
  if (ms < 0 || ms > longestGapMs) return before;
  const after = { mails: before.mails + mails, ms: before.ms + ms };
  return after.ms < keptMs ? after : { mails: after.mails / 2, ms: after.ms / 2 };
}

/** In mails a second; null while there is too little to tell. */
export function perSecondOf({ mails, ms }: CampaignSpeed): number | null {
  return ms < leastMs || mails < 1 ? null : (mails / ms) * secondMs;
}
