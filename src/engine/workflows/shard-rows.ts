import { type Id, textOf } from "../../core/ids";
import type { JsonObject } from "../../core/json";
import { isActive, type Position, type StepRecord } from "../../core/workflows/execution";
import { asId, asNumber, columns } from "../../db/rows";
import type { StepCounts } from "../../platform/workflow-shards";
import {
  readEvent,
  readExecution,
  readIdRow,
  readNumber,
  readStepRecord,
  type ShardStore,
  type StoredEvent,
  type StoredExecution,
} from "./shard-store";

export function findExecution(store: ShardStore, id: Id): StoredExecution | null {
  const [found] = store.all(readExecution, "SELECT * FROM executions WHERE id = ?", textOf(id));
  return found ?? null;
}

/** Up to so many executions that have something to do, the longest running first. */
export function takeWork(store: ShardStore, limit: number): StoredExecution[] {
  return store.all(readExecution, "SELECT * FROM executions WHERE needs IS NOT NULL ORDER BY id LIMIT ?", limit);
}

/** The inputs of a new execution. */
export interface NewExecution {
  id: Id;
  workflowId: Id;
  contactId: Id;
  position: Position;
  eventId: Id | null;
  context: JsonObject | null;
  causes: string[];
  request: string | null;
  now: number;
}

export function insertExecution(store: ShardStore, given: NewExecution): void {
  const { position } = given;
  store.run(
    `INSERT INTO executions (id, workflow_id, contact_id, status, entered_at, place, since, attempts, event_id,
        hears_public, context, causes, needs, request, version, started_at, updated_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, 0, ?, 1, ?, ?, 'step', ?, 1, ?, ?)`,
    ...[textOf(given.id), textOf(given.workflowId), textOf(given.contactId)],
    ...[position.status, position.enteredAt, position.place, idText(position.since), idText(given.eventId)],
    ...[given.context && JSON.stringify(given.context), JSON.stringify(given.causes), given.request],
    ...[given.now, given.now],
  );
}

/** What else changes with the position of an execution. */
export type Beside = Partial<Pick<StoredExecution, "eventId" | "causes" | "hearsPublic" | "needs">>;

/**
 * Moves the execution as it was read, and returns whether it did: after an await the execution may have been moved by
 * somebody else, whose word then counts.
 */
export function moveExecution(
  store: ShardStore,
  read: StoredExecution,
  position: Position,
  now: number,
  beside: Beside = {},
): StoredExecution | null {
  // A position made of the execution brings its other columns along: what is said beside it counts.
  const needs = position.status === "RUNNING" ? "step" : null;
  const after: StoredExecution = { ...read, ...position, needs, ...beside, version: read.version + 1, updatedAt: now };
  const moved = store.all(
    readIdRow,
    `UPDATE executions SET status = ?, step_id = ?, entered_at = ?, place = ?, pause = ?, wake_at = ?, awaits = ?,
        since = ?, outcome = ?, attempts = ?, exit_reason = ?, error = ?, completed_at = ?, event_id = ?,
        hears_public = ?, causes = ?, needs = ?, version = ?, updated_at = ?
      WHERE id = ? AND version = ? RETURNING id`,
    ...[after.status, idText(after.stepId), after.enteredAt, after.place, after.pause, after.wakeAt, after.awaits],
    ...[idText(after.since), after.outcome && JSON.stringify(after.outcome), after.attempts, after.exitReason],
    ...[after.error, after.completedAt, idText(after.eventId), after.hearsPublic ? 1 : 0],
    ...[JSON.stringify(after.causes), after.needs, after.version, now, textOf(read.id), read.version],
  );
  if (moved.length === 0) return null;
  if (!isActive(after.status)) closeEntry(store, after);
  return after;
}

/** The contact may enter again, if the workflow allows it. */
export function closeEntry(store: ShardStore, { id, workflowId, contactId }: StoredExecution): void {
  store.run(
    "UPDATE entries SET active = NULL WHERE workflow_id = ? AND contact_id = ? AND active = ?",
    ...[textOf(workflowId), textOf(contactId), textOf(id)],
  );
}

export function saveRecord(store: ShardStore, executionId: Id, record: StepRecord): void {
  store.run(
    `INSERT INTO steps (execution_id, step_id, place, type, name, status, output, branch, reason, error, started_at,
        completed_at, scheduled_for) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET place = excluded.place, name = excluded.name, status = excluded.status,
        output = excluded.output, branch = excluded.branch, reason = excluded.reason, error = excluded.error,
        started_at = excluded.started_at, completed_at = excluded.completed_at, scheduled_for = excluded.scheduled_for`,
    ...[textOf(executionId), textOf(record.stepId), record.place, record.type, record.name, record.status],
    ...[record.output && JSON.stringify(record.output), record.branch, record.reason, record.error],
    ...[record.startedAt, record.completedAt, record.scheduledFor],
  );
}

/** What the executions did so far, in order. */
export function recordsOf(store: ShardStore, executionId: Id): StepRecord[] {
  return store.all(readStepRecord, "SELECT * FROM steps WHERE execution_id = ? ORDER BY place", textOf(executionId));
}

const readCounts = columns({
  ...{ stepId: asId, entered: asNumber, completed: asNumber, skipped: asNumber, failed: asNumber },
});

/** What became of those who came to these steps. Who neither completed nor skipped it, and did not fail, stands there. */
export function countsOf(store: ShardStore, stepIds: Id[]): StepCounts[] {
  const counted = store.all(
    readCounts,
    "SELECT c.* FROM json_each(?) r CROSS JOIN step_counts c ON c.step_id = r.value",
    JSON.stringify(stepIds),
  );
  return counted.map((counts) => ({
    ...counts,
    waiting: counts.entered - counts.completed - counts.skipped - counts.failed,
  }));
}

export function saveEvent(store: ShardStore, { id, name, source, data }: StoredEvent): void {
  store.run(
    "INSERT INTO events (id, name, source, data) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
    ...[textOf(id), name, source, JSON.stringify(data)],
  );
}

export function findEvent(store: ShardStore, id: Id): StoredEvent | null {
  const [found] = store.all(readEvent, "SELECT * FROM events WHERE id = ?", textOf(id));
  return found ?? null;
}

/** Deletes those of the events that no execution refers to any more. */
export function dropUnused(store: ShardStore, eventIds: readonly (Id | null)[]): void {
  for (const id of new Set(eventIds)) {
    if (id === null) continue;
    store.run(
      "DELETE FROM events WHERE id = ? AND NOT EXISTS (SELECT 1 FROM executions e WHERE e.event_id = events.id)",
      textOf(id),
    );
  }
}

/** The earliest time at which an execution wakes; null when none sleeps. */
export function nextWake(store: ShardStore): number | null {
  const [row] = store.all(readNumber, "SELECT min(wake_at) AS n FROM executions WHERE wake_at IS NOT NULL");
  return row?.n ?? null;
}

export function hasWork(store: ShardStore): boolean {
  return store.all(readIdRow, "SELECT id FROM executions WHERE needs IS NOT NULL LIMIT 1").length > 0;
}

export function hasUnmirrored(store: ShardStore): boolean {
  return store.all(readIdRow, "SELECT id FROM executions WHERE version > mirrored LIMIT 1").length > 0;
}

export function isAnyUnmirrored(store: ShardStore, ids: Id[]): boolean {
  const found = store.all(
    readIdRow,
    "SELECT id FROM executions WHERE version > mirrored AND id IN (SELECT value FROM json_each(?)) LIMIT 1",
    JSON.stringify(ids),
  );
  return found.length > 0;
}

function idText(id: Id | null): string | null {
  return id === null ? null : textOf(id);
}
