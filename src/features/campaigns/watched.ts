import { expiringCache } from "../../core/expiring-cache";
import { secondMs } from "../../core/time";
import type { CampaignWatch } from "./watch-schema";

const answers = expiringCache<CampaignWatch>({ ttlMs: secondMs, maxEntries: 500 });
let changes = 0;

/**
 * Returns an answer of the last second, without any read. Without one, reads an answer and caches it, unless a campaign
 * changed in this isolate meanwhile, because the answer may be older than that change.
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

/** Shows a change of a campaign at once in this isolate. Others show it within a second. */
export function forgetWatched(): void {
  changes += 1;
  answers.clear();
}
