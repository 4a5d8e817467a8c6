import { Conflict, NotFound } from "../../../core/errors";
import type { Id } from "../../../core/ids";
import { cancelExecutions } from "../../../engine/workflows/cancel";
import type { Context } from "../../../platform/context";
import type { ExecutionView } from "../../../platform/workflow-shards";
import { requireWorkflow, shardOfExecution } from "./execution";

const reason = "Cancelled";

/**
 * Implements `DELETE /workflows/{id}/executions/{executionId}`. Throws NotFound, and Conflict for an execution that has
 * ended.
 */
export async function cancelExecution(ctx: Context, workflowId: Id, id: Id): Promise<ExecutionView> {
  const { address, shard } = await shardOfExecution(ctx, workflowId, id);
  const cancelled = await shard.cancel(address, id, reason);
  if (cancelled === null) throw new NotFound("execution", id);
  if (!cancelled.wasActive) throw executionOver(cancelled.execution.status);
  return cancelled.execution;
}

export function executionOver(status: string): Conflict {
  return new Conflict(`This execution is over: it is ${status}. Only RUNNING and WAITING ones can be cancelled.`, {
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
