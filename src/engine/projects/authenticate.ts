import { and, eq, isNull } from "drizzle-orm";
import { hashKey, keyKind } from "../../core/keys";
import { isMoving } from "../../core/operating/project-move";
import { hourMs } from "../../core/time";
import { apiKeys, projects } from "../../db/tables";
import type { Platform } from "../../platform/context";
import { type Caller, callers, refreshLater, unknownKeys } from "./cache";

/**
 * Returns the project of an API key and the parts of the key that may be shown, or null. An isolate caches the result
 * for 30 seconds, so a revoked key may work for that long. Once half of that time is over, the next request with the
 * key makes the isolate read the key again after the answer. A key that does not exist is cached for ten seconds,
 * because it may be created the next moment.
 */
export async function authenticate(platform: Platform, key: string): Promise<Caller | null> {
  if (keyKind(key) === null) return null;
  const now = platform.now.getTime();
  const hash = await hashKey(key);
  const known = callers.get(hash, now);
  if (known && callers.isAgeing(hash, now)) refreshLater(platform, () => findCaller(platform, hash, now));
  if (known) return known;
  if (unknownKeys.get(hash, now)) return null;
  return findCaller(platform, hash, now);
}

/** Reads the caller, and caches the result, including that there is none. */
async function findCaller(platform: Platform, hash: string, now: number): Promise<Caller | null> {
  const row = await platform.control
    .select({ key: apiKeys, project: projects })
    .from(apiKeys)
    .innerJoin(projects, eq(projects.number, apiKeys.projectId))
    .where(and(eq(apiKeys.hash, hash), isNull(projects.deletedAt)))
    .get();
  if (!row) {
    callers.delete(hash);
    unknownKeys.set(hash, true, now);
    return null;
  }
  const { id, kind, name, prefix } = row.key;
  const caller = { project: row.project, key: { id, kind, name, prefix } };
  // A project with a test clock is not cached, because its time is in its row. A project that is being moved is not
  // cached, because its database changes.
  if (!row.project.testClock && !isMoving(row.project)) callers.set(hash, caller, now);
  if ((row.key.lastUsedAt ?? 0) < now - hourMs) platform.later(noteUse(platform, row.key, now));
  return caller;
}

async function noteUse(platform: Platform, { projectId, id }: typeof apiKeys.$inferSelect, now: number): Promise<void> {
  const isKey = and(eq(apiKeys.projectId, projectId), eq(apiKeys.id, id));
  await platform.control.update(apiKeys).set({ lastUsedAt: now }).where(isKey);
}
