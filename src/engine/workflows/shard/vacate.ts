import { type Id, textOf } from "../../../core/ids";
import type { StepRecord } from "../../../core/workflows/execution";
import { stepRemoved, vacated } from "../../../core/workflows/machine";
import { asId, asNumber, columns, orNull } from "../../../db/rows";
import type { Vacating } from "../../../platform/workflow-shards";
import { moveExecutions } from "./moves";
import { readExecution, readStepRecord, type ShardStore } from "./store";

/** A window takes a few milliseconds, and the records of its executions fit into memory. */
const executionsPerWindow = 200;

const readWindow = columns({ count: asNumber, last: orNull(asId) });

/**
 * Moves executions off removed steps: to another step, or to their end. Looks at the next window of the workflow's
 * active executions, and returns where to continue; null at the end. Moved executions are not found again, so this may
 * be repeated.
 */
export function vacateSome(store: ShardStore, { workflowId, stepIds, to, after }: Vacating, now: number): Id | null {
  const isOfIt = "completed_at IS NULL AND workflow_id = ? AND id > ?";
  const [window] = store.all(
    readWindow,
    `SELECT count(*) AS count, max(id) AS last FROM (SELECT id FROM executions INDEXED BY ix_executions_active
      WHERE ${isOfIt} ORDER BY id LIMIT ?)`,
    ...[textOf(workflowId), textOf(after), executionsPerWindow],
  );
  if (!window || window.last === null) return null;
  const standing = store.all(
    readExecution,
    `SELECT * FROM executions INDEXED BY ix_executions_active
      WHERE ${isOfIt} AND id <= ? AND step_id IN (SELECT value FROM json_each(?))`,
    ...[textOf(workflowId), textOf(after), textOf(window.last), JSON.stringify(stepIds)],
  );
  // If the executions end here, the open record of their last step is read as skipped. If they continue, that record
  // itself must be marked as skipped.
  const open = to === null ? new Map<Id, StepRecord>() : openRecords(store, standing);
  moveExecutions(
    store,
    standing.map((read) => {
      const record = open.get(read.id);
      return { read, position: vacated(read, to, now), records: record ? [skipped(record, now)] : [] };
    }),
    now,
  );
  return window.count < executionsPerWindow ? null : window.last;
}

/** Returns the open records of the executions' current steps. */
function openRecords(store: ShardStore, standing: { id: Id; stepId: Id | null }[]): Map<Id, StepRecord> {
  const found = store.all(
    (raw) => ({ ...readStepRecord(raw), ...readOwner(raw) }),
    `SELECT s.* FROM json_each(?) r CROSS JOIN steps s
      ON s.execution_id = r.value->>0 AND s.step_id = r.value->>1 AND s.completed_at IS NULL`,
    JSON.stringify(standing.map(({ id, stepId }) => [id, stepId])),
  );
  return new Map(found.map(({ executionId, ...record }) => [executionId, record]));
}

const readOwner = columns({ executionId: asId });

function skipped(record: StepRecord, now: number): StepRecord {
  return { ...record, status: "SKIPPED", reason: stepRemoved, completedAt: now, scheduledFor: null };
}
