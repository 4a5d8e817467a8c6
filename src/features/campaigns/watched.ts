import { expiringCache } from "../../core/expiring-cache";
import { secondMs } from "../../core/time";
import type { CampaignWatch } from "./watch-schema";

const answers = expiringCache<CampaignWatch>({ ttlMs: secondMs, maxEntries: 500 });
let changes = 0;

/**
 * Returns an answer that was read within the last second, if there is one. Otherwise reads an answer and caches it,
 * unless a campaign changed in this isolate during the read: the answer may then be older than the change.
 */
export async function watchedWithin(
  key: string,
  now: number,
  read: () => Promise<CampaignWatch>,
): Promise<CampaignWatch> {
  const known = answers.get(key, now);
  if (known !== undefined) return known;
  const before = changes;
  const answer = await read();
  if (before === changes) answers.set(key, answer, now);
  return answer;
}

/** Makes this isolate show a change of a campaign at once. Other isolates show it within a second. */
export function forgetWatched(): void {
  changes += 1;
  answers.clear();
}
