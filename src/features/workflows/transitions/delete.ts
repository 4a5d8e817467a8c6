import { NotFound } from "../../../core/errors";
import type { Id } from "../../../core/ids";
import { isDeleted } from "../../../db/own-rows";
import type { Context } from "../../../platform/context";
import { changeWorkflow } from "../change";
import { deleteTransitions } from "../graph-rows";

/**
 * Implements `DELETE /workflows/{id}/transitions/{transitionId}`. Executions at the step before the transition complete
 * after that step.
 */
export async function deleteTransition(
  ctx: Context,
  { workflowId, transitionId }: { workflowId: Id; transitionId: Id },
): Promise<void> {
  await changeWorkflow(ctx, workflowId, (before) => {
    const transitions = before.transitions.filter(({ id }) => id !== transitionId);
    if (transitions.length === before.transitions.length) throw new NotFound("transition", transitionId);
    return {
      after: { ...before, transitions },
      statements: [deleteTransitions(ctx, workflowId, [transitionId])],
      hasCommitted: isDeleted("workflow_transitions", ctx, transitionId),
    };
  });
}
