import type { Id } from "../../../core/ids";
import { readExecution, readIdRow, readNumber, type ShardStore, type StoredExecution } from "./store";

/** The most executions that one pass takes. */
export const executionsPerPass = 100;

/**
 * Returns up to `limit` executions that have something to do, the oldest first, and executions whose time has come. If
 * there are many of both, each kind gets half.
 */
export function takeWork(store: ShardStore, limit: number, now: number): StoredExecution[] {
  const busy = store.all(
    readExecution,
    "SELECT * FROM executions INDEXED BY ix_executions_needs WHERE needs IS NOT NULL ORDER BY id LIMIT ?",
    limit,
  );
  const due = store.all(
    readExecution,
    "SELECT * FROM executions WHERE wake_at <= ? AND needs IS NULL ORDER BY wake_at LIMIT ?",
    ...[now, Math.max(limit - busy.length, Math.ceil(limit / 2))],
  );
  return [...due, ...busy.slice(0, limit - due.length)];
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

/** Returns the earliest wake time of all executions; null if none sleeps. */
export function nextWake(store: ShardStore): number | null {
  const [row] = store.all(readNumber, "SELECT min(wake_at) AS n FROM executions WHERE wake_at IS NOT NULL");
  return row?.n ?? null;
}

export function hasWork(store: ShardStore): boolean {
  return store.all(readIdRow, "SELECT id FROM executions WHERE needs IS NOT NULL LIMIT 1").length > 0;
}

/**
 * Returns how many executions the next pass takes or mirrors. Returns at least one, because every pass takes a place in
 * the queue.
 */
export function countWork(store: ShardStore, now: number): number {
  const [work] = store.all(
    readNumber,
    `SELECT (SELECT count(*) FROM (SELECT 1 FROM executions INDEXED BY ix_executions_needs WHERE needs IS NOT NULL LIMIT ?1))
        + (SELECT coalesce(sum(json_array_length(ids)), 0) FROM (SELECT ids FROM changes LIMIT ?1))
        + (SELECT count(*) FROM (SELECT 1 FROM executions WHERE wake_at <= ?2 AND needs IS NULL LIMIT ?1)) AS n`,
    ...[executionsPerPass, now],
  );
  return Math.min(executionsPerPass, Math.max(1, work?.n ?? 0));
}

/**
 * Returns the size of the next chunk of a cancellation, in executions. A large chunk counts as infinite, so that no
 * pass runs next to it.
 */
export function countActive(store: ShardStore): number {
  const [active] = store.all(
    readNumber,
    `SELECT count(*) AS n FROM (SELECT 1 FROM executions INDEXED BY ix_executions_active
      WHERE completed_at IS NULL LIMIT ?)`,
    executionsPerPass,
  );
  const count = Math.max(1, active?.n ?? 0);
  return count < executionsPerPass ? count : Number.POSITIVE_INFINITY;
}

export function hasActive(store: ShardStore): boolean {
  return store.all(readIdRow, "SELECT id FROM executions WHERE completed_at IS NULL LIMIT 1").length > 0;
}
