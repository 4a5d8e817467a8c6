import { expiringCache } from "../../core/expiring-cache";
import type { Visitor } from "../../core/people/visitor";
import { cacheMs } from "../projects/cache";

/** Sessions by the hash of their cookie. A removed person loses access once the entry expires. */
export const visitors = expiringCache<Visitor>({ ttlMs: cacheMs, maxEntries: 10_000 });

/** Hashes of cookies that belong to no session, so that a flood of them causes few reads. */
export const unknownSessions = expiringCache<true>({ ttlMs: cacheMs, maxEntries: 10_000 });

/**
 * Makes a change of people or sessions visible at once in this isolate. Other isolates notice when their caches expire.
 */
export function forgetVisitors(): void {
  visitors.clear();
  unknownSessions.clear();
}
