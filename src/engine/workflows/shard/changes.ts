import { chunksOf } from "../../../core/chunks";
import { type Id, textOf } from "../../../core/ids";
import { asFlag, asId, asNumber, columns } from "../../../db/rows";
import { readIdRow, readNumber, type ShardStore } from "./store";

/**
 * The table `changes` has changes that the mirror does not show yet, or after which an execution has something to do.
 * Executions that change together share a number, and one row names them all. A change thus costs one row and no index
 * entries, however many executions it concerns. The row is deleted when the mirror shows the executions and none of
 * them has anything to do. Changes are handled from the oldest to the newest, so only the oldest rows are read to find
 * those that can be deleted.
 */

/** The maximum number of executions that one change names, which is as many as the mirror takes at once. */
export const executionsPerChange = 250;

/** An SQL condition on a row of `executions`: the mirror does not show its last change yet. */
export const isUnmirrored = "EXISTS (SELECT 1 FROM changes c WHERE c.n = executions.change AND c.is_shown = 0)";

/** The numbers of changes grow with time. Each millisecond has this many numbers. */
const numbersPerMs = 1024;

/**
 * For each object, a number below which no change has executions with something to do. A pass starts at this number, so
 * it need not read all changes that wait for the mirror. The number stays valid because an execution only gets
 * something to do through a new change. An execution for which the log must be checked is the exception, but a pass
 * also finds it by its time.
 */
const firstBusyOnes = new WeakMap<ShardStore, number>();

export function firstBusy(store: ShardStore): number {
  return firstBusyOnes.get(store) ?? 0;
}

export function noteFirstBusy(store: ShardStore, n: number | null): void {
  if (n !== null) firstBusyOnes.set(store, n);
}

/** Forgets the number of the first busy change, because rows with earlier changes were added. */
export function lookThroughAll(store: ShardStore): void {
  firstBusyOnes.delete(store);
}

/** The last number that each object has given to a change. */
const lastNumbers = new WeakMap<ShardStore, number>();

/**
 * Returns the number of a new change, which is higher than all others of this object. If a number were used twice,
 * executions that the mirror already shows would count as not shown. So the number is partly random: an object that
 * restarts, perhaps on a clock that lags, does not repeat numbers.
 */
export function nextChange(store: ShardStore): number {
  const [last] = store.all(readNumber, "SELECT max(n) AS n FROM changes");
  const byTime = store.realNow() * numbersPerMs + Math.floor(Math.random() * numbersPerMs);
  const number = Math.max(byTime, (last?.n ?? 0) + 1, (lastNumbers.get(store) ?? 0) + 1, firstBusy(store) + 1);
  lastNumbers.set(store, number);
  return number;
}

/** Records a change in `changes`. Must run in the transaction that writes the number `n` to the executions. */
export function noteChange(store: ShardStore, n: number, ids: Id[]): void {
  if (ids.length === 0) return;
  store.run("INSERT INTO changes (n, ids) VALUES (?, ?)", n, JSON.stringify(ids.map(textOf)));
  for (const moved of store.walks) for (const id of ids) moved.add(id);
}

/** Splits executions that change together into groups that fit into one change, and gives each group a number. */
export function numbered<T>(store: ShardStore, items: readonly T[]): { n: number; items: T[] }[] {
  return chunksOf(items, executionsPerChange).map((some) => ({ n: nextChange(store), items: some }));
}

const readChange = columns({ n: asNumber, count: asNumber });
const readCurrent = columns({ n: asNumber, id: asId, version: asNumber, isBusy: asFlag });

/**
 * Returns the numbers of the oldest changes that the mirror does not show. Together they name no more executions than
 * the mirror takes at once.
 */
export function oldestChanges(store: ShardStore): number[] {
  const found = store.all(
    readChange,
    "SELECT n, json_array_length(ids) AS count FROM changes WHERE is_shown = 0 ORDER BY n LIMIT ?",
    executionsPerChange,
  );
  let count = 0;
  return found.flatMap((one, index) => {
    count += one.count;
    return index === 0 || count <= executionsPerChange ? one.n : [];
  });
}

/** An SQL condition on a row of `changes`: one of its executions has something to do. */
const isBusy = `EXISTS (SELECT 1 FROM json_each(changes.ids) i CROSS JOIN executions e
  ON e.id = i.value AND e.change = changes.n AND e.needs IS NOT NULL)`;

/**
 * Records that the mirror shows executions in these versions. A change whose executions are all shown is deleted or,
 * while one of them has something to do, marked as shown. A change stays as it is if the mirror does not show the
 * latest version of one of its executions.
 */
export function forgetChanges(store: ShardStore, numbers: number[], shown: { id: Id; version: number }[]): void {
  const versions = new Map(shown.map(({ id, version }) => [id, version]));
  const current = store.all(
    readCurrent,
    `SELECT c.n, e.id, e.version, e.needs IS NOT NULL AS is_busy FROM json_each(?) r CROSS JOIN changes c ON c.n = r.value
      CROSS JOIN json_each(c.ids) i CROSS JOIN executions e ON e.id = i.value AND e.change = c.n`,
    JSON.stringify(numbers),
  );
  const open = new Set(current.filter(({ id, version }) => (versions.get(id) ?? 0) < version).map(({ n }) => n));
  const busy = new Set(current.flatMap(({ n, isBusy }) => (isBusy ? n : [])));
  const over = numbers.filter((n) => !open.has(n));
  const going = JSON.stringify(over.filter((n) => !busy.has(n)));
  const staying = JSON.stringify(over.filter((n) => busy.has(n)));
  store.run("UPDATE changes SET is_shown = 1 WHERE n IN (SELECT value FROM json_each(?)) AND is_shown = 0", staying);
  store.run("DELETE FROM changes WHERE n IN (SELECT value FROM json_each(?))", going);
  store.run(
    `DELETE FROM changes WHERE n IN (SELECT n FROM changes WHERE is_shown = 1 ORDER BY n LIMIT ?) AND NOT ${isBusy}`,
    executionsPerChange,
  );
}

/** Whether the mirror has yet to show a change up to this number. */
export function hasChangeUpTo(store: ShardStore, n: number): boolean {
  return store.all(readNumber, "SELECT n FROM changes WHERE n <= ? AND is_shown = 0 LIMIT 1", n).length > 0;
}

export function hasUnmirrored(store: ShardStore): boolean {
  return (
    store.all(readNumber, "SELECT 1 AS n FROM changes WHERE is_shown = 0 UNION ALL SELECT 1 FROM unshown LIMIT 1")
      .length > 0
  );
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
