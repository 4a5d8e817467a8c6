import { type Id, textOf } from "../../../core/ids";
import { asId, asNumber, asText, columns } from "../../../db/rows";
import type { StepCounts } from "../../../platform/workflow-shards";
import type { ShardStore } from "./store";

const readCounts = columns({
  ...{ stepId: asId, entered: asNumber, completed: asNumber, skipped: asNumber, failed: asNumber },
});

const readBranch = columns({ stepId: asId, branch: asText, taken: asNumber });

/**
 * Counts the outcomes of the executions that reached these steps. Executions that entered a step and neither completed,
 * skipped nor failed it are still at it.
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

export function dropCounts(store: ShardStore, workflowId: Id): void {
  for (const table of ["step_counts", "branch_counts"])
    store.run(`DELETE FROM ${table} WHERE workflow_id = ?`, textOf(workflowId));
}
