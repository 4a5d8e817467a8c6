import { chunksOf } from "../../../core/chunks";
import { type Id, textOf } from "../../../core/ids";
import { hourMs } from "../../../core/time";
import { asNumber, asText, columns } from "../../../db/rows";
import { isUnmirrored } from "./changes";
import { readNumber, type ShardStore } from "./store";

/**
 * The table `ended` names executions that have ended, until they are forgotten. One row names all executions that end
 * together, which costs less than an index entry for each.
 */

/** The maximum number of executions that are forgotten at once. */
export const forgottenAtOnce = 200;

/**
 * Records that executions ended at the time `at` of the real clock. A project's test clock is not used, because it may
 * stand still for months or jump by a year.
 */
export function noteEnded(store: ShardStore, ids: Id[], at: number): void {
  for (const some of chunksOf(ids.map(textOf), forgottenAtOnce)) {
    store.run(
      "INSERT INTO ended (at, first, ids) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET ids = excluded.ids",
      ...[at, some[0] ?? "", JSON.stringify(some)],
    );
  }
}

/**
 * Records executions of a deleted workflow as if they had ended long ago, so that they are forgotten as soon as the
 * mirror shows them.
 */
export function forgetSoon(store: ShardStore, ids: Id[]): void {
  noteEnded(store, ids, 0);
}

const readEnded = columns({ at: asNumber, first: asText, ids: asText, count: asNumber });
const readFirst = columns({ first: asText });

/** Executions that ended together. */
export type Ended = ReturnType<typeof readEnded>;

/** Returns the executions that ended before this time and that the mirror shows as ended, oldest first. */
export function endedBy(store: ShardStore, before: number): Ended[] {
  const found = store.all(
    readEnded,
    "SELECT at, first, ids, json_array_length(ids) AS count FROM ended WHERE at <= ? ORDER BY at, first LIMIT ?",
    ...[before, forgottenAtOnce],
  );
  let count = 0;
  const oldest = found.filter((one, index) => {
    count += one.count;
    return index === 0 || count <= forgottenAtOnce;
  });
  const unmirrored = store.all(
    readFirst,
    `SELECT DISTINCT r.value->>0 AS first FROM json_each(?) r CROSS JOIN json_each(r.value->1) i
      CROSS JOIN executions ON executions.id = i.value WHERE ${isUnmirrored}`,
    JSON.stringify(oldest.map(({ first, ids }) => [first, JSON.parse(ids)])),
  );
  const waiting = new Set(unmirrored.map(({ first }) => first));
  return oldest.filter(({ first }) => !waiting.has(first));
}

/** Deletes the given rows. Also deletes rows for the times in `endedAt` that name only forgotten executions. */
export function dropEnded(store: ShardStore, ended: Ended[], endedAt: number[]): void {
  const times = [...new Set(endedAt.flatMap((at) => [at, wholeHour(at)]))];
  store.run(
    "DELETE FROM ended WHERE (at, first) IN (SELECT value->>0, value->>1 FROM json_each(?))",
    JSON.stringify(ended.map(({ at, first }) => [at, first])),
  );
  store.run(
    `DELETE FROM ended WHERE at IN (SELECT value FROM json_each(?)) AND NOT EXISTS (
      SELECT 1 FROM json_each(ended.ids) i CROSS JOIN executions e ON e.id = i.value)`,
    JSON.stringify(times),
  );
}

/**
 * Returns the end of the hour that contains this time. Executions of a backup that ended in the same hour share one row
 * with that time.
 */
export function wholeHour(at: number): number {
  return Math.ceil(at / hourMs) * hourMs;
}

/** Returns when the first executions ended; null if none have. */
export function firstEnd(store: ShardStore): number | null {
  return store.all(readNumber, "SELECT min(at) AS n FROM ended")[0]?.n ?? null;
}
