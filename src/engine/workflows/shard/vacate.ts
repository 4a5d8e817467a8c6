import { textOf } from "../../../core/ids";
import type { StepRecord } from "../../../core/workflows/execution";
import { stepRemoved, vacated } from "../../../core/workflows/machine";
import type { Vacating } from "../../../platform/workflow-shards";
import { activeFrom, firstCursor, type WalkCursor } from "./active";
import { moveExecutions } from "./moves";
import { readExecution, type ShardStore } from "./store";

/**
 * The maximum number of executions in one window. A window takes a few milliseconds, and the records of the executions
 * that it moves fit into memory.
 */
const executionsPerWindow = 1_000;
const movedAtOnce = 200;

/**
 * Moves executions off removed steps: to another step, or to their end. Looks at the next window of active executions,
 * and returns where to continue; null at the end. A repeat does not find executions that have moved. The walk misses no
 * execution: none can still reach a removed step, and those that get something to do meanwhile are looked at last.
 */
export function vacateSome(
  store: ShardStore,
  { workflowId, stepIds, to, after }: Vacating,
  now: number,
): string | null {
  const cursor = cursorOf(after);
  const { ids, next } = activeFrom(store, cursor, executionsPerWindow);
  const standing = store.all(
    readExecution,
    `SELECT * FROM executions WHERE id IN (SELECT value FROM json_each(?)) AND completed_at IS NULL AND workflow_id = ?
      AND step_id IN (SELECT value FROM json_each(?)) ORDER BY id LIMIT ?`,
    ...[JSON.stringify(ids), textOf(workflowId), JSON.stringify(stepIds), movedAtOnce],
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
  // The same window now contains the next executions, because those that have moved are no longer in it.
  const following = standing.length === movedAtOnce ? cursor : next;
  return following && JSON.stringify(following);
}

/** An empty text stands for the beginning of the walk. */
function cursorOf(after: string): WalkCursor {
  return after === "" ? firstCursor : JSON.parse(after);
}

function skipped(record: StepRecord, now: number): StepRecord {
  return { ...record, status: "SKIPPED", reason: stepRemoved, completedAt: now, scheduledFor: null };
}
