import { expiringCache } from "../../core/expiring-cache";
import type { ShownKey } from "../../core/keys";
import type { Platform, Project } from "../../platform/context";
import { reasonOf } from "../../platform/log";

/** The caller of a request. */
export interface Caller {
  project: Project;
  key: ShownKey;
}

/**
 * How long an isolate caches values, in milliseconds. A revoked key or a disabled project takes effect within this
 * time.
 */
export const cacheMs = 30_000;

/** The caller that each API key identifies, by the hash of the key. */
export const callers = expiringCache<Caller>({ ttlMs: cacheMs, maxEntries: 10_000 });

/**
 * Hashes of keys that do not exist, so that a flood of wrong keys costs few reads. A new key is hidden for at most ten
 * seconds, and only in an isolate that was asked for it before it was created.
 */
export const unknownKeys = expiringCache<true>({ ttlMs: 10_000, maxEntries: 10_000 });

/** Projects, by number and by id. */
export const knownProjects = expiringCache<Project>({ ttlMs: cacheMs, maxEntries: 1_000 });

/**
 * Reads a cached value again after a request is answered. Jobs let the value expire, because no caller waits for a job.
 */
export function refreshLater({ origin, later, log }: Platform, read: () => Promise<unknown>): void {
  if (origin === null) return;
  later(
    read().catch((error: unknown) => log("warn", "A project could not be read again", { reason: reasonOf(error) })),
  );
}

/** Makes a change visible at once in this isolate. Other isolates see it when their cache expires. */
export function forgetProjects(): void {
  callers.clear();
  unknownKeys.clear();
  knownProjects.clear();
}
