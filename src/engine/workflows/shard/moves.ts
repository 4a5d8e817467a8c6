import { chunksOfBytes } from "../../../core/chunks";
import type { Id } from "../../../core/ids";
import { type ExecutionPosition, isActive, type StepRecord } from "../../../core/workflows/execution";
import { nextChange, noteChange } from "./changes";
import { noteEnded } from "./ended";
import { inRow, saveOutputs, withRecords } from "./records";
import { countOutcomes } from "./step-counts";
import { readIdRow, type ShardStore, type StoredExecution } from "./store";

/** Columns that a move can change in addition to the position. */
export type ExtraColumns = Partial<
  Pick<StoredExecution, "eventId" | "earlier" | "causes" | "takesPublic" | "isPublic" | "needs">
>;

/** A move: an execution as it was read, its new position, and the records of the steps it has passed. */
export interface ExecutionChange {
  read: StoredExecution;
  position: ExecutionPosition;
  extra?: ExtraColumns;
  records?: StepRecord[];
}

/**
 * Moves executions, each only if it is unchanged since it was read. Returns each execution in its new state, or null if
 * another call moved it during an await; then that other move stands.
 */
export function moveExecutions(store: ShardStore, changes: ExecutionChange[], now: number): (StoredExecution | null)[] {
  if (changes.length === 0) return [];
  const moved = new Set<Id>();
  const number = nextChange(store);
  const endedAt = store.realNow();
  const planned = changes.map((change) => ({ change, after: afterOf(change, number, now) }));
  for (const some of Map.groupBy(planned, columnsOf).values()) {
    for (const chunk of chunksOfBytes(some, maxBytes, ({ after }) => JSON.stringify([after.outcome, after.records]))) {
      for (const { id } of updateExecutions(store, chunk, endedAt)) moved.add(id);
    }
  }
  noteChange(store, number, [...moved]);
  const effective = planned.filter(({ change: { read } }) => moved.has(read.id));
  noteEnded(
    store,
    effective.flatMap(({ change: { read }, after }) => (isActive(after.status) ? [] : read.id)),
    endedAt,
  );
  const records = effective.flatMap(({ change: { read, records = [] } }) =>
    records.map((record) => ({ executionId: read.id, record })),
  );
  saveOutputs(store, records);
  countOutcomes(
    store,
    effective.map(({ change: { read, records = [] }, after }) => ({
      read,
      records,
      hasEnded: !isActive(after.status),
    })),
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

/** The maximum total size of the outcomes and records that one statement carries, in bytes. */
const maxBytes = 500_000;

function afterOf({ read, position, extra = {}, records: more = [] }: ExecutionChange, change: number, now: number) {
  // The position can be a whole execution, with old values in other columns. The new values therefore come after it.
  const needs: StoredExecution["needs"] = position.status === "RUNNING" ? "step" : null;
  const records = withRecords(read.records, more).map(inRow);
  return { ...read, ...position, needs, ...extra, records, change, version: read.version + 1, updatedAt: now };
}

/** The sets of columns that a move may change. The fewer columns a move sets, the fewer indexes it writes. */
const columnsMoved = {
  always: [
    ...["status", "step_id", "entered_at", "ordinal", "pause", "wake_at", "awaits", "since", "outcome", "attempts"],
    ...["needs", "change", "version", "updated_at"],
  ],
  bySteps: ["records"],
  atEnd: ["exit_reason", "error", "completed_at", "ended_at"],
  byEvent: ["event_id", "causes", "takes_public", "is_public"],
  bySecondEvent: ["earlier"],
};

/** Returns the SET clause of a move. Moves with the same columns share a statement. */
function columnsOf({ change: { extra, records = [] }, after }: Planned): string {
  const isByEvent = extra?.eventId !== undefined || extra?.causes !== undefined || extra?.takesPublic !== undefined;
  return [
    ...columnsMoved.always,
    ...(records.length > 0 ? columnsMoved.bySteps : []),
    ...(isActive(after.status) ? [] : columnsMoved.atEnd),
    ...(isByEvent ? columnsMoved.byEvent : []),
    ...(extra?.earlier === undefined ? [] : columnsMoved.bySecondEvent),
  ]
    .map((column) => `${column} = r.value->>'${column}'`)
    .join(", ");
}

function updateExecutions(store: ShardStore, planned: Planned[], endedAt: number): { id: Id }[] {
  const [first] = planned;
  if (!first) return [];
  const items = planned.map(({ change: { read }, after }) => ({
    ...{ id: read.id, read: read.version },
    ...{ status: after.status, step_id: after.stepId, entered_at: after.enteredAt, ordinal: after.ordinal },
    ...{ pause: after.pause, wake_at: after.wakeAt, awaits: after.awaits, since: after.since },
    ...{ outcome: after.outcome && JSON.stringify(after.outcome), attempts: after.attempts },
    ...{ needs: after.needs, change: after.change, version: after.version, updated_at: after.updatedAt },
    records: JSON.stringify(after.records),
    ...{ exit_reason: after.exitReason, error: after.error, completed_at: after.completedAt, ended_at: endedAt },
    ...{ event_id: after.eventId, earlier: after.earlier && JSON.stringify(after.earlier) },
    ...{ causes: JSON.stringify(after.causes), takes_public: after.takesPublic ? 1 : 0 },
    is_public: after.isPublic ? 1 : 0,
  }));
  return store.all(
    readIdRow,
    `UPDATE executions SET ${columnsOf(first)} FROM json_each(?) r
      WHERE executions.id = r.value->>'id' AND executions.version = r.value->>'read' RETURNING executions.id`,
    JSON.stringify(items),
  );
}
