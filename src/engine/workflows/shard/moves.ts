import { chunksOfBytes } from "../../../core/chunks";
import type { Id } from "../../../core/ids";
import { type ExecutionPosition, isActive, type StepRecord, type StepStatus } from "../../../core/workflows/execution";
import { readIdRow, type ShardStore, type StoredExecution, type Value } from "./store";

/** Other columns that a move may change as well. */
export type ExtraColumns = Partial<
  Pick<StoredExecution, "eventId" | "earlier" | "causes" | "hearsPublic" | "isPublic" | "needs">
>;

/** A move: an execution as it was read, its new position, and the records of the steps it has passed. */
export interface ExecutionChange {
  read: StoredExecution;
  position: ExecutionPosition;
  extra?: ExtraColumns;
  records?: StepRecord[];
}

/**
 * Moves executions, each only if it is unchanged since it was read. Returns each in its new state, or null if another
 * call moved it during an await; that other move stands.
 */
export function moveExecutions(store: ShardStore, changes: ExecutionChange[], now: number): (StoredExecution | null)[] {
  const moved = new Set<Id>();
  const planned = changes.map((change) => ({ change, after: afterOf(change, now) }));
  for (const some of Map.groupBy(planned, columnsOf).values()) {
    for (const chunk of chunksOfBytes(some, maxBytes, ({ after }) => JSON.stringify(after.outcome))) {
      for (const { id } of updateExecutions(store, chunk)) moved.add(id);
    }
  }
  const effective = planned.filter(({ change: { read } }) => moved.has(read.id));
  const fromOutside = effective.filter(
    ({ change: { records = [] }, after }) => !isActive(after.status) && records.length === 0,
  );
  if (fromOutside.length > 0) {
    const ended = fromOutside.map(({ after }) => [after.workflowId, after.id, after.stepId]);
    const rows = "SELECT value->>0 AS workflow_id, value->>1 AS id, value->>2 AS step_id FROM json_each(?)";
    countSkipped(store, rows, JSON.stringify(ended));
  }
  saveRecords(
    store,
    effective.flatMap(({ change: { read, records = [] } }) =>
      records.map((record) => ({ workflowId: read.workflowId, executionId: read.id, record })),
    ),
  );
  return planned.map(({ change: { read }, after }) => (moved.has(read.id) ? after : null));
}

export function moveExecution(
  store: ShardStore,
  read: StoredExecution,
  position: ExecutionPosition,
  now: number,
  extra: ExtraColumns = {},
): StoredExecution | null {
  return moveExecutions(store, [{ read, position, extra }], now)[0] ?? null;
}

interface Planned {
  change: ExecutionChange;
  after: StoredExecution;
}

/** The most bytes of outcomes and outputs that one statement carries. */
const maxBytes = 500_000;

function afterOf({ read, position, extra = {} }: ExecutionChange, now: number): StoredExecution {
  // The position may be a whole execution, and so contain old values of other columns; `extra` overrides these.
  const needs = position.status === "RUNNING" ? "step" : null;
  return { ...read, ...position, needs, ...extra, version: read.version + 1, updatedAt: now };
}

/** The sets of columns that a move may change. The fewer columns, the fewer indexes are written. */
const columnsMoved = {
  always: [
    ...["status", "step_id", "entered_at", "place", "pause", "wake_at", "awaits", "since", "outcome", "attempts"],
    ...["needs", "version", "updated_at"],
  ],
  atEnd: ["exit_reason", "error", "completed_at", "ended_at"],
  byEvent: ["event_id", "causes", "hears_public", "is_public"],
  bySecondEvent: ["earlier"],
};

/** Returns the SET clause of a move. Moves with the same columns share a statement. */
function columnsOf({ change: { extra }, after }: Planned): string {
  const isByEvent = extra?.eventId !== undefined || extra?.causes !== undefined || extra?.hearsPublic !== undefined;
  return [
    ...columnsMoved.always,
    ...(isActive(after.status) ? [] : columnsMoved.atEnd),
    ...(isByEvent ? columnsMoved.byEvent : []),
    ...(extra?.earlier === undefined ? [] : columnsMoved.bySecondEvent),
  ]
    .map((column) => `${column} = r.value->>'${column}'`)
    .join(", ");
}

function updateExecutions(store: ShardStore, planned: Planned[]): { id: Id }[] {
  const [first] = planned;
  if (!first) return [];
  const endedAt = store.realNow();
  const items = planned.map(({ change: { read }, after }) => ({
    ...{ id: read.id, read: read.version },
    ...{ status: after.status, step_id: after.stepId, entered_at: after.enteredAt, place: after.place },
    ...{ pause: after.pause, wake_at: after.wakeAt, awaits: after.awaits, since: after.since },
    ...{ outcome: after.outcome && JSON.stringify(after.outcome), attempts: after.attempts },
    ...{ needs: after.needs, version: after.version, updated_at: after.updatedAt },
    ...{ exit_reason: after.exitReason, error: after.error, completed_at: after.completedAt, ended_at: endedAt },
    ...{ event_id: after.eventId, earlier: after.earlier && JSON.stringify(after.earlier) },
    ...{ causes: JSON.stringify(after.causes), hears_public: after.hearsPublic ? 1 : 0 },
    is_public: after.isPublic ? 1 : 0,
  }));
  return store.all(
    readIdRow,
    `UPDATE executions SET ${columnsOf(first)} FROM json_each(?) r
      WHERE executions.id = r.value->>'id' AND executions.version = r.value->>'read' RETURNING executions.id`,
    JSON.stringify(items),
  );
}

function saveRecords(store: ShardStore, given: { workflowId: Id; executionId: Id; record: StepRecord }[]): void {
  const items = given.map(({ workflowId, executionId, record: { output, ...record } }) => ({
    ...{ workflowId, executionId, ...record, output: output && JSON.stringify(output) },
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

/** Counts records. Must run before they are saved, because the stored state shows what changes. */
function countRecords(store: ShardStore, records: string): void {
  const more = (status: StepStatus) =>
    `sum((r.value->>'status' = '${status}') - coalesce(s.status = '${status}', false))`;
  store.run(
    `INSERT INTO step_counts (workflow_id, step_id, entered, completed, skipped, failed)
      SELECT r.value->>'workflowId', r.value->>'stepId', sum(s.step_id IS NULL), ${more("COMPLETED")}, ${more("SKIPPED")}, ${more("FAILED")}
      FROM json_each(?) r LEFT JOIN steps s ON s.execution_id = r.value->>'executionId' AND s.step_id = r.value->>'stepId'
      WHERE true GROUP BY 1, 2
      ON CONFLICT DO UPDATE SET entered = entered + excluded.entered, completed = completed + excluded.completed,
        skipped = skipped + excluded.skipped, failed = failed + excluded.failed`,
    records,
  );
  store.run(
    `INSERT INTO branch_counts (workflow_id, step_id, branch, taken)
      SELECT r.value->>'workflowId', r.value->>'stepId', r.value->>'branch', count(*)
      FROM json_each(?) r LEFT JOIN steps s ON s.execution_id = r.value->>'executionId' AND s.step_id = r.value->>'stepId'
      WHERE r.value->>'branch' IS NOT NULL AND s.branch IS NULL GROUP BY 1, 2, 3
      ON CONFLICT DO UPDATE SET taken = taken + excluded.taken`,
    records,
  );
}

/**
 * Counts as skipped the current steps of executions that are ended from outside. The step records are not changed: they
 * are read as skipped, because their execution has ended. `ended` is a query for `workflow_id`, `id` and `step_id` of
 * these executions.
 */
export function countSkipped(store: ShardStore, ended: string, ...values: Value[]): void {
  store.run(
    `UPDATE step_counts SET skipped = skipped + open.n
      FROM (SELECT e.workflow_id, e.step_id, count(*) AS n FROM (${ended}) e
        CROSS JOIN steps s ON s.execution_id = e.id AND s.step_id = e.step_id AND s.completed_at IS NULL GROUP BY 1, 2) open
      WHERE step_counts.workflow_id = open.workflow_id AND step_counts.step_id = open.step_id`,
    ...values,
  );
}
