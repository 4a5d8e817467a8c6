import type { Db } from "../db/client";
import type { Platform } from "./context";

/**
 * Returns the result of the first database that has one; null when none does. A failing database may be the one that
 * has it, so its error is thrown only if no other has a result.
 */
export async function searchDatabases<T>(platform: Platform, look: (db: Db) => Promise<T | null>): Promise<T | null> {
  const looks = await Promise.allSettled(platform.databases.map(look));
  for (const each of looks) if (each.status === "fulfilled" && each.value !== null) return each.value;
  for (const each of looks) if (each.status === "rejected") throw each.reason;
  return null;
}
