import { Conflict, NotFound } from "../../../core/errors";
import type { Id } from "../../../core/ids";
import { cancelExecutions } from "../../../engine/workflows/cancel";
import { showAgain } from "../../../engine/workflows/show-again";
import type { Context } from "../../../platform/context";
import type { ExecutionView } from "../../../platform/workflow-shards";
import { requireWorkflow, shardOfExecution } from "./execution";

const reason = "Cancelled";

/**
 * Implements `DELETE /workflows/{id}/executions/{executionId}`. Throws NotFound, and Conflict for an execution that has
 * ended.
 */
export async function cancelExecution(ctx: Context, workflowId: Id, id: Id): Promise<ExecutionView> {
  const open = await shardOfExecution(ctx, workflowId, id);
  const cancelled = await open.shard.cancel(open.address, id, reason);
  // If the database was restored to an earlier time, the execution's row may still show it as active, so the row is
  // brought up to date.
  if (!cancelled?.wasActive) await showAgain(ctx, open, [{ workflowId, id, version: 0 }]);
  if (cancelled === null) throw new NotFound("execution", id);
  if (!cancelled.wasActive) throw executionOver(cancelled.execution.status);
  return cancelled.execution;
}

export function executionOver(status: string): Conflict {
  return new Conflict(`This execution is ${status}. Only RUNNING and WAITING executions can be cancelled.`, {
    details: { status },
  });
}

/**
 * Implements `POST /workflows/{id}/executions/cancel-all`. Returns how many executions were active. Throws NotFound.
 */
export async function cancelAllExecutions(ctx: Context, workflowId: Id): Promise<number> {
  await requireWorkflow(ctx, workflowId);
  return cancelExecutions(ctx, workflowId, reason);
}
