import type { Db } from "../db/client";
import type { Platform } from "./context";

/**
 * Returns the result of the first database that has one; null when none has. A failing database may be the one with the
 * result, so its error is thrown only if no other has a result.
 */
export async function searchDatabases<T>(platform: Platform, search: (db: Db) => Promise<T | null>): Promise<T | null> {
  const searches = await Promise.allSettled(platform.databases.map(search));
  for (const each of searches) if (each.status === "fulfilled" && each.value !== null) return each.value;
  for (const each of searches) if (each.status === "rejected") throw each.reason;
  return null;
}
