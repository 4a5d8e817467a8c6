import type { Id } from "../../../core/ids";
import { firstBusy, noteFirstBusy } from "./changes";
import { readExecution, readIdRow, readNumber, type ShardStore, type StoredExecution } from "./store";

/** The maximum number of executions that one pass takes. */
export const executionsPerPass = 100;

/**
 * A FROM clause with the executions that have something to do. Its parameter is the number of the change at which to
 * begin.
 */
const busyRows = `FROM changes c CROSS JOIN json_each(c.ids) i
  CROSS JOIN executions e ON e.id = i.value AND e.change = c.n AND e.needs IS NOT NULL WHERE c.n >= ?`;

/**
 * Returns up to `limit` executions that have something to do, the oldest change first, and executions whose time has
 * come. If there are many of both, each kind gets half.
 */
export function takeWork(store: ShardStore, limit: number, now: number): StoredExecution[] {
  const busy = takeBusy(store, limit);
  const ids = new Set(busy.map(({ id }) => id));
  const due = store.all(
    readExecution,
    "SELECT * FROM executions WHERE wake_at <= ? ORDER BY wake_at LIMIT ?",
    ...[now, Math.max(limit - busy.length, Math.ceil(limit / 2))],
  );
  const others = due.filter(({ id }) => !ids.has(id));
  return [...others, ...busy.slice(0, limit - others.length)];
}

function takeBusy(store: ShardStore, limit: number): StoredExecution[] {
  const busy = store.all(readExecution, `SELECT e.* ${busyRows} ORDER BY c.n LIMIT ?`, ...[firstBusy(store), limit]);
  const [newest] = busy.length > 0 ? [] : store.all(readNumber, "SELECT max(n) AS n FROM changes");
  noteFirstBusy(store, busy[0]?.change ?? newest?.n ?? null);
  return busy;
}

/** Marks executions so that the log is checked for the events for which they wait. Their positions stay the same. */
export function needLog(store: ShardStore, ids: Id[]): void {
  if (ids.length === 0) return;
  store.run(
    "UPDATE executions SET needs = 'log' WHERE id IN (SELECT value FROM json_each(?)) AND needs IS NULL",
    JSON.stringify(ids),
  );
}

/** Returns the executions for which the log has not been checked yet. */
export function askingOf(store: ShardStore, ids: Id[]): StoredExecution[] {
  return store.all(
    readExecution,
    "SELECT e.* FROM json_each(?) r CROSS JOIN executions e ON e.id = r.value AND e.needs = 'log' ORDER BY e.id",
    JSON.stringify(ids),
  );
}

/** Returns the earliest wake time of all executions; null if no execution waits for a time. */
export function nextWake(store: ShardStore): number | null {
  const [row] = store.all(readNumber, "SELECT min(wake_at) AS n FROM executions WHERE wake_at IS NOT NULL");
  return row?.n ?? null;
}

export function hasWork(store: ShardStore): boolean {
  return store.all(readIdRow, `SELECT e.id ${busyRows} LIMIT 1`, firstBusy(store)).length > 0;
}

/**
 * Returns how many executions the next pass takes or mirrors. Returns at least one, because every pass takes a place in
 * the queue.
 */
export function countWork(store: ShardStore, now: number): number {
  const [work] = store.all(
    readNumber,
    `SELECT (SELECT coalesce(sum(json_array_length(ids)), 0) FROM (SELECT ids FROM changes LIMIT ?1))
        + (SELECT count(*) FROM (SELECT 1 FROM executions WHERE wake_at <= ?2 LIMIT ?1)) AS n`,
    ...[executionsPerPass, now],
  );
  return Math.min(executionsPerPass, Math.max(1, work?.n ?? 0));
}

/**
 * Reports whether any execution is active. A waiting execution has a time or an event to wait for, and a running one
 * has something to do.
 */
export function hasActive(store: ShardStore): boolean {
  const waiting = `SELECT id FROM executions WHERE wake_at IS NOT NULL
    UNION ALL SELECT id FROM executions WHERE awaits IS NOT NULL LIMIT 1`;
  return hasWork(store) || store.all(readIdRow, waiting).length > 0;
}
