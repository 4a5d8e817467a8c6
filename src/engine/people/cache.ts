import { expiringCache } from "../../core/expiring-cache";
import type { Visitor } from "../../core/people/visitor";
import { cacheMs } from "../projects/cache";

/** Keyed by the hash of the session's cookie. A person who is removed is out within the lifetime of an entry. */
export const visitors = expiringCache<Visitor>({ ttlMs: cacheMs, maxEntries: 10_000 });

/** Hashes of cookies without a session, so that a flood of them costs few reads. */
export const unknownSessions = expiringCache<true>({ ttlMs: cacheMs, maxEntries: 10_000 });

/** Makes a change of people or sessions visible at once in this isolate. Others see it when their cache expires. */
export function forgetVisitors(): void {
  visitors.clear();
  unknownSessions.clear();
}
