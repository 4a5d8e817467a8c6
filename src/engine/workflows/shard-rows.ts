import { chunksOfBytes } from "../../core/chunks";
import { belowAllIds, type Id, textOf } from "../../core/ids";
import type { JsonObject } from "../../core/json";
import { isActive, type Position, type StepRecord, type StepStatus } from "../../core/workflows/execution";
import { asId, asJson, asNumber, asText, columns } from "../../db/rows";
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

/**
 * Up to so many executions that have something to do, the longest running first, and those whose time has come. When
 * there are many of both, each gets half.
 */
export function takeWork(store: ShardStore, limit: number, now: number): StoredExecution[] {
  const busy = store.all(
    readExecution,
    `SELECT * FROM executions INDEXED BY ix_executions_todo WHERE needs IS NOT NULL AND (needs IS NOT NULL) = 1
      ORDER BY id LIMIT ?`,
    limit,
  );
  const due = store.all(
    readExecution,
    "SELECT * FROM executions WHERE wake_at <= ? ORDER BY wake_at LIMIT ?",
    ...[now, Math.max(limit - busy.length, Math.ceil(limit / 2))],
  );
  return [...due, ...busy.slice(0, limit - due.length)];
}

/** Of the execution that began last. */
export function newestId(store: ShardStore): Id {
  const [newest] = store.all(readIdRow, "SELECT id FROM executions ORDER BY id DESC LIMIT 1");
  return newest?.id ?? belowAllIds;
}

/** Those of the executions that nobody has moved since they were read. */
export function unmovedOf<T extends Pick<StoredExecution, "id" | "version">>(store: ShardStore, read: T[]): T[] {
  const unmoved = store.all(
    readIdRow,
    `SELECT e.id FROM json_each(?) r CROSS JOIN executions e ON e.id = r.value->>0 AND e.version = r.value->>1`,
    JSON.stringify(read.map(({ id, version }) => [id, version])),
  );
  const ids = new Set(unmoved.map(({ id }) => id));
  return read.filter(({ id }) => ids.has(id));
}

/** Those of the executions that have yet to ask the log. */
export function askingOf(store: ShardStore, ids: Id[]): StoredExecution[] {
  return store.all(
    readExecution,
    "SELECT e.* FROM json_each(?) r CROSS JOIN executions e ON e.id = r.value AND e.needs = 'log' ORDER BY e.id",
    JSON.stringify(ids),
  );
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

export function insertExecutions(store: ShardStore, given: NewExecution[]): void {
  const items = given.map(({ position, context, causes, ...rest }) => ({
    ...rest,
    ...{ status: position.status, enteredAt: position.enteredAt, place: position.place, since: position.since },
    ...{ context: context && JSON.stringify(context), causes: JSON.stringify(causes) },
  }));
  store.run(
    `INSERT INTO executions (id, workflow_id, contact_id, status, entered_at, place, since, attempts, event_id,
        hears_public, context, causes, needs, request, version, started_at, updated_at)
      SELECT r.value->>'id', r.value->>'workflowId', r.value->>'contactId', r.value->>'status', r.value->>'enteredAt',
        r.value->>'place', r.value->>'since', 0, r.value->>'eventId', 1, r.value->>'context', r.value->>'causes', 'step',
        r.value->>'request', 1, r.value->>'now', r.value->>'now'
      FROM json_each(?) r`,
    JSON.stringify(items),
  );
}

/** What else changes with the position of an execution. */
export type Beside = Partial<Pick<StoredExecution, "eventId" | "causes" | "hearsPublic" | "needs">>;

/** An execution as it was read, where it is to go, and what it did on the way. */
export interface Change {
  read: StoredExecution;
  position: Position;
  beside?: Beside;
  records?: StepRecord[];
}

/**
 * Moves executions as they were read. Returns each as it is then, or null: after an await the execution may have been
 * moved by somebody else, whose word then counts.
 */
export function moveExecutions(store: ShardStore, changes: Change[], now: number): (StoredExecution | null)[] {
  const moved = new Set<Id>();
  const planned = changes.map((change) => ({ change, after: afterOf(change, now) }));
  for (const some of Map.groupBy(planned, columnsOf).values()) {
    for (const chunk of chunksOfBytes(some, maxBytes, ({ after }) => JSON.stringify(after.outcome))) {
      for (const { id } of updateExecutions(store, chunk)) moved.add(id);
    }
  }
  const effective = planned.filter(({ change: { read } }) => moved.has(read.id));
  closeEntries(
    store,
    effective.flatMap(({ after }) => (isActive(after.status) ? [] : [after])),
  );
  saveRecords(
    store,
    effective.flatMap(({ change: { read, records = [] } }) =>
      records.map((record) => ({ executionId: read.id, record })),
    ),
  );
  return planned.map(({ change: { read }, after }) => (moved.has(read.id) ? after : null));
}

export function moveExecution(
  store: ShardStore,
  read: StoredExecution,
  position: Position,
  now: number,
  beside: Beside = {},
): StoredExecution | null {
  return moveExecutions(store, [{ read, position, beside }], now)[0] ?? null;
}

interface Planned {
  change: Change;
  after: StoredExecution;
}

/** What one statement carries of outcomes and outputs. */
const maxBytes = 500_000;

function afterOf({ read, position, beside = {} }: Change, now: number): StoredExecution {
  // A position made of the execution brings its other columns along: what is said beside it counts.
  const needs = position.status === "RUNNING" ? "step" : null;
  return { ...read, ...position, needs, ...beside, version: read.version + 1, updatedAt: now };
}

/** What a move sets: the fewer columns, the fewer indexes it writes to. */
const columnsMoved = {
  always: [
    ...["status", "step_id", "entered_at", "place", "pause", "wake_at", "awaits", "since", "outcome", "attempts"],
    ...["needs", "version", "updated_at"],
  ],
  atEnd: ["exit_reason", "error", "completed_at"],
  byEvent: ["event_id", "causes", "hears_public"],
};

/** The statement that a move takes: moves with the same columns go together. */
function columnsOf({ change: { beside }, after }: Planned): string {
  const isByEvent = beside?.eventId !== undefined || beside?.causes !== undefined || beside?.hearsPublic !== undefined;
  return [
    ...columnsMoved.always,
    ...(isActive(after.status) ? [] : columnsMoved.atEnd),
    ...(isByEvent ? columnsMoved.byEvent : []),
  ]
    .map((column) => `${column} = r.value->>'${column}'`)
    .join(", ");
}

function updateExecutions(store: ShardStore, planned: Planned[]): { id: Id }[] {
  const [first] = planned;
  if (!first) return [];
  const items = planned.map(({ change: { read }, after }) => ({
    ...{ id: read.id, read: read.version },
    ...{ status: after.status, step_id: after.stepId, entered_at: after.enteredAt, place: after.place },
    ...{ pause: after.pause, wake_at: after.wakeAt, awaits: after.awaits, since: after.since },
    ...{ outcome: after.outcome && JSON.stringify(after.outcome), attempts: after.attempts },
    ...{ needs: after.needs, version: after.version, updated_at: after.updatedAt },
    ...{ exit_reason: after.exitReason, error: after.error, completed_at: after.completedAt },
    ...{ event_id: after.eventId, causes: JSON.stringify(after.causes), hears_public: after.hearsPublic ? 1 : 0 },
  }));
  return store.all(
    readIdRow,
    `UPDATE executions SET ${columnsOf(first)} FROM json_each(?) r
      WHERE executions.id = r.value->>'id' AND executions.version = r.value->>'read' RETURNING executions.id`,
    JSON.stringify(items),
  );
}

/** The contacts may enter again, if the workflow allows it. */
export function closeEntries(
  store: ShardStore,
  ended: Pick<StoredExecution, "id" | "workflowId" | "contactId">[],
): void {
  if (ended.length === 0) return;
  store.run(
    `UPDATE entries SET active = NULL FROM json_each(?) r WHERE entries.contact_id = r.value->>0
      AND entries.workflow_id = r.value->>1 AND entries.active = r.value->>2`,
    JSON.stringify(ended.map(({ id, workflowId, contactId }) => [contactId, workflowId, id])),
  );
}

function saveRecords(store: ShardStore, given: { executionId: Id; record: StepRecord }[]): void {
  const items = given.map(({ executionId, record: { output, ...record } }) => ({
    ...{ executionId, ...record, output: output && JSON.stringify(output) },
  }));
  for (const chunk of chunksOfBytes(items, maxBytes, ({ output }) => output ?? "")) {
    const text = JSON.stringify(chunk);
    countRecords(store, text);
    store.run(
      `INSERT INTO steps (execution_id, step_id, place, type, name, status, output, branch, reason, error, started_at,
          completed_at, scheduled_for)
        SELECT r.value->>'executionId', r.value->>'stepId', r.value->>'place', r.value->>'type', r.value->>'name',
          r.value->>'status', r.value->>'output', r.value->>'branch', r.value->>'reason', r.value->>'error',
          r.value->>'startedAt', r.value->>'completedAt', r.value->>'scheduledFor' FROM json_each(?) r WHERE true
        ON CONFLICT DO UPDATE SET place = excluded.place, name = excluded.name, status = excluded.status,
          output = excluded.output, branch = excluded.branch, reason = excluded.reason, error = excluded.error,
          started_at = excluded.started_at, completed_at = excluded.completed_at,
          scheduled_for = excluded.scheduled_for`,
      text,
    );
  }
}

/** Counts records before they are saved: what there is of them yet says what changes. */
function countRecords(store: ShardStore, records: string): void {
  const more = (status: StepStatus) =>
    `sum((r.value->>'status' = '${status}') - coalesce(s.status = '${status}', false))`;
  store.run(
    `INSERT INTO step_counts (step_id, entered, completed, skipped, failed)
      SELECT r.value->>'stepId', sum(s.step_id IS NULL), ${more("COMPLETED")}, ${more("SKIPPED")}, ${more("FAILED")}
      FROM json_each(?) r LEFT JOIN steps s ON s.execution_id = r.value->>'executionId' AND s.step_id = r.value->>'stepId'
      WHERE true GROUP BY 1
      ON CONFLICT DO UPDATE SET entered = entered + excluded.entered, completed = completed + excluded.completed,
        skipped = skipped + excluded.skipped, failed = failed + excluded.failed`,
    records,
  );
}

/** Skips the steps at which these executions stand. */
export function skipOpenSteps(store: ShardStore, ids: Id[], reason: string, now: number): void {
  const open = "FROM json_each(?) r CROSS JOIN steps s ON s.execution_id = r.value AND s.completed_at IS NULL";
  const given = JSON.stringify(ids);
  store.run(
    `UPDATE step_counts SET skipped = skipped + open.n
      FROM (SELECT s.step_id, count(*) AS n ${open} GROUP BY 1) open WHERE step_counts.step_id = open.step_id`,
    given,
  );
  store.run(
    `UPDATE steps SET status = 'SKIPPED', reason = ?, completed_at = ?, scheduled_for = NULL
      WHERE execution_id IN (SELECT value FROM json_each(?)) AND completed_at IS NULL`,
    ...[reason, now, given],
  );
}

/** What the execution did so far, in order. */
export function recordsOf(store: ShardStore, executionId: Id): StepRecord[] {
  return store.all(readStepRecord, "SELECT * FROM steps WHERE execution_id = ? ORDER BY place", textOf(executionId));
}

const readOutput = columns({ executionId: asId, name: asText, output: asJson<JsonObject>() });

/** The outputs of the steps of executions, by their names: the last one of a name counts. */
export function outputsOf(store: ShardStore, ids: Id[]): Map<Id, JsonObject> {
  const found = store.all(
    readOutput,
    `SELECT s.execution_id, s.name, s.output FROM json_each(?) r
      CROSS JOIN steps s ON s.execution_id = r.value AND s.output IS NOT NULL ORDER BY s.place`,
    JSON.stringify(ids),
  );
  const outputs = new Map<Id, JsonObject>();
  for (const [id, rows] of Map.groupBy(found, ({ executionId }) => executionId)) {
    outputs.set(id, Object.fromEntries(rows.map(({ name, output }) => [name, output])));
  }
  return outputs;
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
