import { expiringCache } from "../../core/expiring-cache";
import type { ShownKey } from "../../core/keys";
import type { Platform, Project } from "../../platform/context";
import { reasonOf } from "../../platform/log";

/** The caller of a request. */
export interface Caller {
  project: Project;
  key: ShownKey;
}

/** How long an isolate uses cached values: a revoked key or a disabled project takes effect within this time. */
export const cacheMs = 30_000;

/** By the hash of the key. */
export const callers = expiringCache<Caller>({ ttlMs: cacheMs, maxEntries: 10_000 });

/**
 * Hashes of keys that do not exist, so that a flood of wrong keys costs few reads. A key that was made meanwhile is
 * hidden for no longer than this, and only from an isolate that was asked for it before it was made.
 */
export const unknownKeys = expiringCache<true>({ ttlMs: 10_000, maxEntries: 10_000 });

/** By number, and by id. */
export const knownProjects = expiringCache<Project>({ ttlMs: cacheMs, maxEntries: 1_000 });

/** Reads a value again behind the answer of a request. Jobs let it expire, because nobody waits for them. */
export function refreshLater({ origin, later, log }: Platform, read: () => Promise<unknown>): void {
  if (origin === null) return;
  later(
    read().catch((error: unknown) => log("warn", "A project could not be read again", { reason: reasonOf(error) })),
  );
}

/** Makes a change visible at once in this isolate; others follow when their cache expires. */
export function forgetProjects(): void {
  callers.clear();
  unknownKeys.clear();
  knownProjects.clear();
}
