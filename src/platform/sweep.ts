import { controlShard, type Db } from "../db/client";
import type { Platform } from "./context";
import { reasonOf } from "./log";

/** The most rows that one statement of a sweep takes. */
export const maxSweptRows = 500;

const maxRounds = 20;

/**
 * Runs a sweep over the databases. `take` takes up to `maxSweptRows` due rows of one database by a conditional update
 * and returns how many it took. It is called again until it takes fewer, or until the tick has used up its rounds; the
 * next tick continues. A failing database does not stop the others.
 */
export async function sweepDatabases(platform: Platform, take: (db: Db) => Promise<number>): Promise<void> {
  const parts = openParts();
  for (const db of platform.databases) {
    await parts.run(async () => {
      for (let round = 0; round < maxRounds; round++) {
        if ((await take(db)) < maxSweptRows) break;
      }
    });
  }
  parts.end();
}

/**
 * Runs the parts of a sweep; a failing part does not stop the others. `end` throws the failures after all parts have
 * run.
 */
export function openParts(): { run(part: () => Promise<void>): Promise<void>; end(): void } {
  const failures: unknown[] = [];
  return {
    async run(part) {
      try {
        await part();
      } catch (error) {
        failures.push(error);
      }
    },
    end() {
      if (failures.length > 0) throw new Error(failures.map(reasonOf).join("; "), { cause: failures[0] });
    },
  };
}

const pagesPerTick = 20;

/**
 * Walks through all rows of a table in each database, several pages per tick. `takePage` processes the rows after a
 * cursor, or the first rows, and returns the cursor after them; undefined at the end, after which the next tick starts
 * again.
 */
export async function walkDatabases<Place>(
  platform: Platform,
  sweep: string,
  takePage: (db: Db, after: Place | undefined) => Promise<Place | undefined>,
): Promise<void> {
  const before = (await readPlace(platform, sweep)) || "{}";
  // The code below wrote this JSON.
  const places: Record<string, Place | undefined> = JSON.parse(before);
  const parts = openParts();
  for (const shard of platform.shards) {
    await parts.run(async () => {
      for (let page = 0; page < pagesPerTick; page++) {
        places[shard] = await takePage(platform.databaseOf(shard), places[shard]);
        if (places[shard] === undefined) break;
      }
    });
  }
  const after = JSON.stringify(places);
  if (after !== before) await keepPlace(platform, sweep, after);
  parts.end();
}

/**
 * Returns the cursor at which a sweep over all rows continues on the next tick; "" is the beginning. Its file belongs
 * to no project.
 */
export async function readPlace(platform: Platform, sweep: string): Promise<string> {
  const bytes = await platform.blobs.get(placeKey(platform, sweep));
  return bytes === null ? "" : new TextDecoder().decode(bytes);
}

export async function keepPlace(platform: Platform, sweep: string, place: string): Promise<void> {
  await platform.blobs.put(placeKey(platform, sweep), place);
}

/**
 * Returns the key of the cursor. When there are many databases, each of several calls walks through some of them, and
 * has its own cursor.
 */
function placeKey({ shards: [first = controlShard] }: Platform, sweep: string): string {
  return first === controlShard ? `sweeps/${sweep}` : `sweeps/${sweep}/${first}`;
}
