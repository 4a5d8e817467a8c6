import { controlShard, type Db } from "../db/client";
import type { Platform } from "./context";
import { reasonOf } from "./log";

/** The maximum number of rows that one statement of a sweep takes. */
export const maxSweptRows = 500;

const maxRounds = 20;

/**
 * Runs a sweep over the databases. `take` takes up to `maxSweptRows` due rows of one database by a conditional update
 * and returns how many it took. `take` is called again until it takes fewer rows, or until the invocation has no
 * statements left; a message or the next tick then continues. A failing database does not stop the others.
 */
export async function sweepDatabases(platform: Platform, take: (db: Db) => Promise<number>): Promise<void> {
  const parts = openParts();
  await inRounds(platform, platform.databases, (db) => parts.run(async () => (await take(db)) >= maxSweptRows));
  parts.end();
}

/**
 * Works in rounds: every database is served before any has a second round, so that the backlog of one does not delay
 * the others. `take` returns whether there is more.
 */
export async function inRounds<T>(
  platform: Platform,
  databases: readonly T[],
  take: (database: T) => Promise<boolean | undefined>,
): Promise<void> {
  let open = databases;
  for (let round = 0; round < maxRounds && open.length > 0; round++) {
    const waiting = open.values();
    const more = new Set<T>();
    const takeSome = async () => {
      for (const database of waiting) {
        if (!platform.spent.hasLeft()) return;
        if (await take(database)) more.add(database);
      }
    };
    await Promise.all(Array.from({ length: platform.databasesAtOnce }, takeSome));
    open = open.filter((database) => more.has(database));
  }
}

interface Parts {
  /** Returns what the part returned; undefined when it failed. */
  run<T>(part: () => Promise<T>): Promise<T | undefined>;
  end(): void;
}

/**
 * Runs the parts of a sweep; a failing part does not stop the others. `end` throws the failures after all parts have
 * run.
 */
export function openParts(): Parts {
  const failures: unknown[] = [];
  return {
    async run(part) {
      try {
        return await part();
      } catch (error) {
        failures.push(error);
        return undefined;
      }
    },
    end() {
      if (failures.length > 0) throw new Error(failures.map(reasonOf).join("; "), { cause: failures[0] });
    },
  };
}

/**
 * Visits all rows of a table in each database, several pages per tick. `takePage` processes the rows after a cursor or,
 * without one, the first rows. It returns the cursor for the next page, or undefined at the end of the table. The next
 * tick then starts from the beginning.
 */
export async function walkDatabases<Cursor>(
  platform: Platform,
  sweep: string,
  takePage: (db: Db, after: Cursor | undefined) => Promise<Cursor | undefined>,
): Promise<void> {
  const before = (await readCursor(platform, sweep)) || "{}";
  // The type is right, because the code below wrote this JSON.
  const cursors: Record<string, Cursor | undefined> = JSON.parse(before);
  const parts = openParts();
  await inRounds(platform, platform.shards, (shard) =>
    parts.run(async () => {
      cursors[shard] = await takePage(platform.databaseOf(shard), cursors[shard]);
      return cursors[shard] !== undefined;
    }),
  );
  const after = JSON.stringify(cursors);
  if (after !== before) await storeCursor(platform, sweep, after);
  parts.end();
}

/**
 * Returns the cursor at which a sweep over all rows continues on the next tick; "" means the beginning. The cursor is
 * stored in a file that belongs to no project.
 */
export async function readCursor(platform: Platform, sweep: string): Promise<string> {
  const bytes = await platform.blobs.get(cursorKey(platform, sweep));
  return bytes === null ? "" : new TextDecoder().decode(bytes);
}

export async function storeCursor(platform: Platform, sweep: string, cursor: string): Promise<void> {
  await platform.blobs.put(cursorKey(platform, sweep), cursor);
}

/**
 * Returns the key of the cursor's file. When there are many databases, several calls each handle some of them, and each
 * call has its own cursor.
 */
function cursorKey({ shards: [first = controlShard] }: Platform, sweep: string): string {
  return first === controlShard ? `sweeps/${sweep}` : `sweeps/${sweep}/${first}`;
}
