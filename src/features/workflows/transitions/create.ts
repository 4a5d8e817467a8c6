import { Invalid } from "../../../core/errors";
import type { Id } from "../../../core/ids";
import { drawingFault } from "../../../core/workflows/structure";
import { isInserted } from "../../../db/own-rows";
import type { WorkflowTransitionRow } from "../../../db/tables";
import { graphOf } from "../../../engine/workflows/graph";
import type { Context } from "../../../platform/context";
import { changeWorkflow } from "../change";
import { insertTransitions, newTransition } from "../graph-rows";
import { requireStep } from "../workflow";
import type { CreateTransition } from "./schema";

/** Implements `POST /workflows/{id}/transitions`. Throws NotFound, Invalid and Conflict. */
export async function createTransition(
  ctx: Context,
  workflowId: Id,
  { fromStepId, toStepId, branch, priority }: CreateTransition,
): Promise<WorkflowTransitionRow> {
  const { transitions } = await changeWorkflow(ctx, workflowId, (before) => {
    requireStep(before, fromStepId);
    requireStep(before, toStepId);
    const fault = drawingFault(graphOf(before), { fromStepId, toStepId, branch });
    if (fault) throw new Invalid([fault]);
    const made = newTransition(ctx, { workflowId, fromStepId, toStepId, branch, priority: priority ?? 0 });
    return {
      after: { ...before, transitions: [...before.transitions, made] },
      statements: [insertTransitions([made])],
      hasCommitted: isInserted("workflow_transitions", ctx, made.id),
    };
  });
  const drawn = transitions.at(-1);
  if (drawn === undefined) throw new Error("The transition that was drawn is the last one");
  return drawn;
}
