import { chunksOf } from "../../../core/chunks";
import { type Id, textOf } from "../../../core/ids";
import { asId, asNumber, columns } from "../../../db/rows";
import { readIdRow, readNumber, type ShardStore } from "./store";

/**
 * Changes that the mirror does not show yet. Executions that change together share a number, and one row of `changes` names them.
 * So a change costs one row, however many executions it is of, and none of their indexes. When the mirror shows them,
 * the row goes.
 */

/** The most executions that one change names, which is as many as the mirror takes at once. */
export const executionsPerChange = 250;

/** An SQL condition on a row of `executions`: the mirror does not show its last change yet. */
export const isUnmirrored = "EXISTS (SELECT 1 FROM changes c WHERE c.n = executions.change)";

/** Numbers grow with time. A millisecond has this number of them. */
const numbersPerMs = 1024;

/** The last number that each object has given. */
const lastNumbers = new WeakMap<ShardStore, number>();

/**
 * Returns the number of a new change, which is above all others of this object. A number that had been given before would
 * make executions that the mirror shows look as if it did not, so an object that begins, perhaps with a clock that is
 * behind, does not begin at the same number.
 */
export function nextChange(store: ShardStore): number {
  const [last] = store.all(readNumber, "SELECT max(n) AS n FROM changes");
  const byTime = store.realNow() * numbersPerMs + Math.floor(Math.random() * numbersPerMs);
  const number = Math.max(byTime, (last?.n ?? 0) + 1, (lastNumbers.get(store) ?? 0) + 1);
  lastNumbers.set(store, number);
  return number;
}

/** Must run in the transaction of the change, which has written its number `n` to these executions. */
export function noteChange(store: ShardStore, n: number, ids: Id[]): void {
  if (ids.length === 0) return;
  store.run("INSERT INTO changes (n, ids) VALUES (?, ?)", n, JSON.stringify(ids.map(textOf)));
}

/** Gives executions that change together their numbers. */
export function numbered<T>(store: ShardStore, items: readonly T[]): { n: number; items: T[] }[] {
  return chunksOf(items, executionsPerChange).map((some) => ({ n: nextChange(store), items: some }));
}

const readChange = columns({ n: asNumber, count: asNumber });
const readCurrent = columns({ n: asNumber, id: asId, version: asNumber });

/** Returns the numbers of the oldest changes, which together name as many executions as the mirror takes at once. */
export function oldestChanges(store: ShardStore): number[] {
  const found = store.all(
    readChange,
    "SELECT n, json_array_length(ids) AS count FROM changes ORDER BY n LIMIT ?",
    executionsPerChange,
  );
  let count = 0;
  return found.flatMap((one, index) => {
    count += one.count;
    return index === 0 || count <= executionsPerChange ? one.n : [];
  });
}

/**
 * Deletes changes whose executions the mirror shows in these versions. A change stays if one of its executions has
 * changed since.
 */
export function forgetChanges(store: ShardStore, numbers: number[], shown: { id: Id; version: number }[]): void {
  const versions = new Map(shown.map(({ id, version }) => [id, version]));
  const current = store.all(
    readCurrent,
    `SELECT c.n, e.id, e.version FROM json_each(?) r CROSS JOIN changes c ON c.n = r.value
      CROSS JOIN json_each(c.ids) i CROSS JOIN executions e ON e.id = i.value AND e.change = c.n`,
    JSON.stringify(numbers),
  );
  const open = new Set(current.filter(({ id, version }) => (versions.get(id) ?? 0) < version).map(({ n }) => n));
  const over = numbers.filter((n) => !open.has(n));
  store.run("DELETE FROM changes WHERE n IN (SELECT value FROM json_each(?))", JSON.stringify(over));
}

/** Whether the mirror has yet to show a change up to this number. */
export function hasChangeUpTo(store: ShardStore, n: number): boolean {
  return store.all(readNumber, "SELECT n FROM changes WHERE n <= ? LIMIT 1", n).length > 0;
}

export function hasUnmirrored(store: ShardStore): boolean {
  return store.all(readNumber, "SELECT 1 AS n FROM changes UNION ALL SELECT 1 FROM unshown LIMIT 1").length > 0;
}

export function isAnyUnmirrored(store: ShardStore, ids: Id[]): boolean {
  const found = store.all(
    readIdRow,
    `SELECT id FROM executions WHERE id IN (SELECT value FROM json_each(?)) AND ${isUnmirrored}
      UNION ALL SELECT last FROM unshown LIMIT 1`,
    JSON.stringify(ids),
  );
  return found.length > 0;
}
