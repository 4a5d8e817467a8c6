import { expiringCache } from "../../core/expiring-cache";
import { dayMs } from "../../core/time";
import type { Platform } from "../../platform/context";

const noted = expiringCache<true>({ ttlMs: dayMs, maxEntries: 100 });

/**
 * Logs a provider's event that has no meaning for Petrel. Each kind is logged once, because a webhook that sends every
 * kind sends several events for each email.
 */
export function noteOther(platform: Platform, provider: string, name: string): void {
  const key = `${provider} ${name}`;
  const now = platform.now.getTime();
  if (noted.get(key, now)) return;
  noted.set(key, true, now);
  platform.log("info", "A provider sends a kind of event that is ignored", { provider, name });
}
