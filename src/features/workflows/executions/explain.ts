import type { Id } from "../../../core/ids";
import { graphOf } from "../../../engine/workflows/graph";
import type { Context } from "../../../platform/context";
import { getWorkflow } from "../workflow";
import { getExecution } from "./execution";
import { type PathStep, pathOf } from "./path";

/**
 * Implements `GET …/executions/{executionId}/explain`: returns the execution's path so far, with the reasons for it.
 * Throws NotFound.
 */
export async function explainExecution(ctx: Context, workflowId: Id, id: Id): Promise<{ path: PathStep[] }> {
  const [workflow, execution] = await Promise.all([getWorkflow(ctx, workflowId), getExecution(ctx, workflowId, id)]);
  return { path: pathOf(execution.steps, graphOf(workflow).steps) };
}
