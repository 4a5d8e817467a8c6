import type { Db } from "../db/client";
import type { Platform } from "./context";
import { reasonOf } from "./log";

/** Rows that one statement of a sweep takes. */
export const maxSweptRows = 500;

const maxRounds = 20;

/**
 * How every sweep goes through the databases: `take` takes up to `maxSweptRows` due rows of one, by a conditional
 * update, and says how many it took. It is called again until it takes fewer, or the tick has had its share; the next
 * tick goes on. A database that fails keeps no other waiting.
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

/** The parts of a sweep: one that fails keeps no other waiting. `end` throws what failed, after all had their turn. */
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

/** Where a sweep that looks at all rows, tick after tick, is to go on; "" is the beginning. The file is no project's. */
export async function readPlace({ blobs }: Platform, sweep: string): Promise<string> {
  const bytes = await blobs.get(placeKey(sweep));
  return bytes === null ? "" : new TextDecoder().decode(bytes);
}

export async function keepPlace({ blobs }: Platform, sweep: string, place: string): Promise<void> {
  await blobs.put(placeKey(sweep), place);
}

function placeKey(sweep: string): string {
  return `sweeps/${sweep}`;
}
