import type { Db } from "../db/client";
import type { Platform } from "./context";

/**
 * What the first database has that has it; null when none does. One that fails may be the one, so it is an error only
 * if no other has it.
 */
export async function searchDatabases<T>(platform: Platform, look: (db: Db) => Promise<T | null>): Promise<T | null> {
  const looks = await Promise.allSettled(platform.databases.map(look));
  for (const each of looks) if (each.status === "fulfilled" && each.value !== null) return each.value;
  for (const each of looks) if (each.status === "rejected") throw each.reason;
  return null;
}
