import { type Id, textOf } from "../../../core/ids";
import type { StepRecord, StepStatus } from "../../../core/workflows/execution";
import { asId, asNumber, asText, columns } from "../../../db/rows";
import type { StepCounts } from "../../../platform/workflow-shards";
import type { ShardStore, StoredExecution } from "./store";

const readCounts = columns({
  ...{ stepId: asId, entered: asNumber, completed: asNumber, skipped: asNumber, failed: asNumber },
});

const readBranch = columns({ stepId: asId, branch: asText, taken: asNumber });

/**
 * Returns how many executions entered, completed, skipped and failed each of these steps. The other executions that
 * entered a step are still at it.
 */
export function countsOf(store: ShardStore, workflowId: Id, stepIds: Id[]): StepCounts[] {
  const counted = store.all(
    readCounts,
    "SELECT c.* FROM json_each(?) r CROSS JOIN step_counts c ON c.workflow_id = ? AND c.step_id = r.value",
    ...[JSON.stringify(stepIds), textOf(workflowId)],
  );
  const branches = store.all(
    readBranch,
    `SELECT c.step_id, c.branch, c.taken FROM json_each(?) r
      CROSS JOIN branch_counts c ON c.workflow_id = ? AND c.step_id = r.value`,
    ...[JSON.stringify(stepIds), textOf(workflowId)],
  );
  const branchesOf = Map.groupBy(branches, ({ stepId }) => stepId);
  return counted.map((counts) => ({
    ...counts,
    branches: (branchesOf.get(counts.stepId) ?? []).map(({ branch, taken }) => ({ branch, count: taken })),
    waiting: counts.entered - counts.completed - counts.skipped - counts.failed,
  }));
}

/**
 * The part of a move that is counted: the execution as it was read, the new records, and whether the execution has
 * ended.
 */
interface Counted {
  read: Pick<StoredExecution, "workflowId" | "stepId" | "records">;
  records: StepRecord[];
  hasEnded: boolean;
}

/** Counts the outcomes of moves. The current step of an execution that was ended from outside counts as skipped. */
export function countOutcomes(store: ShardStore, moves: Counted[]): void {
  const steps = new Map<string, Record<"entered" | "completed" | "skipped" | "failed", number>>();
  const branches = new Map<string, number>();
  for (const { read, records, hasEnded } of moves) {
    const stepOf = (stepId: Id | null) => JSON.stringify([read.workflowId, stepId]);
    const countsAt = (key: string) => steps.get(key) ?? { entered: 0, completed: 0, skipped: 0, failed: 0 };
    const before = new Map(read.records.map((record) => [record.stepId, record]));
    for (const record of records) {
      const old = before.get(record.stepId);
      const more = (status: StepStatus) => Number(record.status === status) - Number(old?.status === status);
      const counts = countsAt(stepOf(record.stepId));
      steps.set(stepOf(record.stepId), {
        entered: counts.entered + Number(old === undefined),
        completed: counts.completed + more("COMPLETED"),
        skipped: counts.skipped + more("SKIPPED"),
        failed: counts.failed + more("FAILED"),
      });
      if (record.branch !== null && (old?.branch ?? null) === null) {
        const key = JSON.stringify([read.workflowId, record.stepId, record.branch]);
        branches.set(key, (branches.get(key) ?? 0) + 1);
      }
      before.set(record.stepId, record);
    }
    const current = read.stepId === null ? undefined : before.get(read.stepId);
    if (hasEnded && records.length === 0 && current?.completedAt === null) {
      const counts = countsAt(stepOf(read.stepId));
      steps.set(stepOf(read.stepId), { ...counts, skipped: counts.skipped + 1 });
    }
  }
  if (steps.size > 0) addToSteps(store, steps);
  if (branches.size > 0) addToBranches(store, branches);
}

function addToSteps(store: ShardStore, counts: Map<string, object>): void {
  store.run(
    `INSERT INTO step_counts (workflow_id, step_id, entered, completed, skipped, failed)
      SELECT r.value->0->>0, r.value->0->>1, r.value->1->>'entered', r.value->1->>'completed', r.value->1->>'skipped',
        r.value->1->>'failed' FROM json_each(?) r WHERE true
      ON CONFLICT DO UPDATE SET entered = entered + excluded.entered, completed = completed + excluded.completed,
        skipped = skipped + excluded.skipped, failed = failed + excluded.failed`,
    JSON.stringify([...counts].map(([key, more]) => [JSON.parse(key), more])),
  );
}

function addToBranches(store: ShardStore, taken: Map<string, number>): void {
  store.run(
    `INSERT INTO branch_counts (workflow_id, step_id, branch, taken)
      SELECT r.value->0->>0, r.value->0->>1, r.value->0->>2, r.value->>1 FROM json_each(?) r WHERE true
      ON CONFLICT DO UPDATE SET taken = taken + excluded.taken`,
    JSON.stringify([...taken].map(([key, more]) => [JSON.parse(key), more])),
  );
}

/**
 * Adds the current steps of executions that are ended from outside to the skipped counts. The step records are not
 * changed: an open record of an ended execution is read as skipped. `ended` is a JSON array of the ids of executions.
 */
export function countSkipped(store: ShardStore, ended: string): void {
  store.run(
    `UPDATE step_counts SET skipped = skipped + open.n
      FROM (SELECT e.workflow_id, e.step_id, count(*) AS n
        FROM (SELECT workflow_id, step_id, records FROM executions WHERE id IN (SELECT value FROM json_each(?))) e
        CROSS JOIN json_each(e.records) r WHERE r.value->>'stepId' = e.step_id AND r.value->>'completedAt' IS NULL GROUP BY 1, 2) open
      WHERE step_counts.workflow_id = open.workflow_id AND step_counts.step_id = open.step_id`,
    ended,
  );
}

export function dropCounts(store: ShardStore, workflowId: Id): void {
  for (const table of ["step_counts", "branch_counts"])
    store.run(`DELETE FROM ${table} WHERE workflow_id = ?`, textOf(workflowId));
}
