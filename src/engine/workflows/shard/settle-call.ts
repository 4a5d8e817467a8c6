import { isActive } from "../../../core/workflows/execution";
import { wakeByReport } from "../../../core/workflows/wake";
import type { Settlement } from "../../../platform/workflow-shards";
import { moveExecution } from "./moves";
import { findExecution } from "./rows";
import type { ShardStore } from "./store";

/**
 * Moves the execution that waits for the outcome of a call. Returns false when the execution does not wait for it yet:
 * the call can be over before the execution's move to the step is stored. The execution then asks for the outcome.
 */
export function settleCall(store: ShardStore, { executionId, stepId, outcome }: Settlement, now: number): boolean {
  const execution = findExecution(store, executionId);
  const position = execution && wakeByReport(execution, stepId, outcome);
  if (!execution || !position || position === execution) return !execution || !isActive(execution.status);
  moveExecution(store, execution, position, now);
  return true;
}
