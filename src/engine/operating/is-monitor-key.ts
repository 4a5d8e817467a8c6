import { sql } from "drizzle-orm";
import { expiringCache } from "../../core/expiring-cache";
import { hashKey, looksLikeMonitorKey } from "../../core/keys";
import { asNumber, columns } from "../../db/rows";
import { selectFirst } from "../../db/statement";
import type { Platform } from "../../platform/context";

/** Caches whether a key exists, by its hash, so that a flood of wrong keys causes few reads. */
const known = expiringCache<boolean>({ ttlMs: 10_000, maxEntries: 1_000 });

/** Returns whether the monitor key exists. Every isolate notices a new or revoked key within ten seconds. */
export async function isMonitorKey({ control, now }: Platform, key: string): Promise<boolean> {
  if (!looksLikeMonitorKey(key)) return false;
  const hash = await hashKey(key);
  const at = now.getTime();
  const cached = known.get(hash, at);
  if (cached !== undefined) return cached;
  const found = sql`SELECT 1 AS found FROM monitor_keys WHERE hash = ${hash}`;
  const isKnown = (await selectFirst(control, found, columns({ found: asNumber }))) !== null;
  known.set(hash, isKnown, at);
  return isKnown;
}

/** Makes a change of monitor keys visible at once in this isolate. */
export function forgetMonitorKeys(): void {
  known.clear();
}
