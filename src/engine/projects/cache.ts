import { expiringCache } from "../../core/expiring-cache";
import type { KeyKind } from "../../core/keys";
import type { Project } from "../../platform/context";

/** Who a request speaks for. */
export interface Caller {
  project: Project;
  kind: KeyKind;
}

/** How long an isolate may go on with what it knew: a revoked key or a disabled project takes effect within this. */
export const cacheMs = 30_000;

/** By the hash of the key. */
export const callers = expiringCache<Caller>({ ttlMs: cacheMs, maxEntries: 10_000 });

/** By number, and by id. */
export const knownProjects = expiringCache<Project>({ ttlMs: cacheMs, maxEntries: 1_000 });

/** A change shows at once in the isolate that made it; others follow. */
export function forgetProjects(): void {
  callers.clear();
  knownProjects.clear();
}
