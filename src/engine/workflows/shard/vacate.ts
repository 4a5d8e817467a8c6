import { type Id, textOf } from "../../../core/ids";
import type { StepRecord } from "../../../core/workflows/execution";
import { stepRemoved, vacated } from "../../../core/workflows/machine";
import { asId, asNumber, columns, orNull } from "../../../db/rows";
import type { Vacating } from "../../../platform/workflow-shards";
import { moveExecutions } from "./moves";
import { readExecution, type ShardStore } from "./store";

/** A window takes a few milliseconds, and the records of the executions that it moves fit into memory. */
const executionsPerWindow = 1_000;
const movedAtOnce = 200;

const readWindow = columns({ count: asNumber, last: orNull(asId) });

/**
 * Moves executions off removed steps: to another step, or to their end. Looks at the next window of executions, and
 * returns where to continue; null at the end. Moved executions are not found again, so this may be repeated.
 */
export function vacateSome(store: ShardStore, { workflowId, stepIds, to, after }: Vacating, now: number): Id | null {
  const [window] = store.all(
    readWindow,
    `SELECT count(*) AS count, max(id) AS last FROM (SELECT id FROM executions WHERE id > ? ORDER BY id LIMIT ?)`,
    ...[textOf(after), executionsPerWindow],
  );
  if (!window || window.last === null) return null;
  const standing = store.all(
    readExecution,
    `SELECT * FROM executions WHERE id > ? AND id <= ? AND completed_at IS NULL AND workflow_id = ?
      AND step_id IN (SELECT value FROM json_each(?)) ORDER BY id LIMIT ?`,
    ...[textOf(after), textOf(window.last), textOf(workflowId), JSON.stringify(stepIds), movedAtOnce],
  );
  // If the executions end here, the open record of their last step is read as skipped. If they continue, that record
  // itself must be marked as skipped.
  moveExecutions(
    store,
    standing.map((read) => {
      const open = read.records.filter(({ stepId, completedAt }) => stepId === read.stepId && completedAt === null);
      return {
        read,
        position: vacated(read, to, now),
        records: to === null ? [] : open.map((record) => skipped(record, now)),
      };
    }),
    now,
  );
  if (standing.length === movedAtOnce) return standing.at(-1)?.id ?? null;
  return window.count < executionsPerWindow ? null : window.last;
}

function skipped(record: StepRecord, now: number): StepRecord {
  return { ...record, status: "SKIPPED", reason: stepRemoved, completedAt: now, scheduledFor: null };
}
