import type { Db } from "../db/client";
import type { Platform } from "./context";
import { reasonOf } from "./log";

/** Rows that one statement of a sweep takes. */
export const maxSweptRows = 500;

const maxRounds = 20;

/**
 * How every sweep goes through the databases: `take` takes up to `maxSweptRows` due rows of one, by a conditional
 * update, and says how many it took. It is called again until it takes fewer, or the tick has had its share; the next
 * tick goes on. A database that fails keeps no other waiting: the sweep throws only after all had their turn.
 */
export async function sweepDatabases(platform: Platform, take: (db: Db) => Promise<number>): Promise<void> {
  const failures: unknown[] = [];
  for (const db of platform.databases) {
    try {
      for (let round = 0; round < maxRounds; round++) {
        if ((await take(db)) < maxSweptRows) break;
      }
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw new Error(failures.map(reasonOf).join("; "), { cause: failures[0] });
}
