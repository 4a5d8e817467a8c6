import { Conflict } from "../../../core/errors";
import type { Id } from "../../../core/ids";
import { type Splice, splice } from "../../../core/workflows/structure";
import { isDeleted } from "../../../db/own-rows";
import type { WorkflowStepRow, WorkflowTransitionRow } from "../../../db/tables";
import { graphOf, stepOfRow } from "../../../engine/workflows/graph";
import type { Context } from "../../../platform/context";
import { changeWorkflow } from "../change";
import { deleteSteps, deleteTransitions, updateTransitions } from "../graph-rows";
import { requireStep, type WholeWorkflow } from "../workflow";
import { guardDeserted } from "./standing";

/**
 * Implements `DELETE /workflows/{id}/steps/{stepId}`. The step's transitions are deleted as well; with a splice, its
 * predecessors then lead to its successor. Throws NotFound and Conflict.
 */
export async function deleteStep(
  ctx: Context,
  { workflowId, stepId, isSpliced }: { workflowId: Id; stepId: Id; isSpliced: boolean },
): Promise<void> {
  await changeWorkflow(ctx, workflowId, (before) => {
    const step = requireStep(before, stepId);
    if (step.type === "TRIGGER") throw triggerStays();
    const { removed, moved } = isSpliced ? spliced(before, step) : { removed: around(before, step), moved: [] };
    const gone = new Set(removed.map(({ id }) => id));
    const to = new Map(moved.map(({ id, toStepId }) => [id, toStepId]));
    const transitions: WorkflowTransitionRow[] = before.transitions
      .filter(({ id }) => !gone.has(id))
      .map((transition) => ({ ...transition, toStepId: to.get(transition.id) ?? transition.toStepId }));
    return {
      after: { ...before, steps: before.steps.filter(({ id }) => id !== stepId), transitions },
      statements: [
        deleteTransitions(ctx, workflowId, [...gone]),
        updateTransitions(
          ctx,
          workflowId,
          transitions.filter(({ id }) => to.has(id)),
        ),
        deleteSteps(ctx, workflowId, [stepId]),
      ],
      guards: [guardDeserted(ctx, step)],
      hasCommitted: isDeleted("workflow_steps", ctx, stepId),
    };
  });
}

function around({ transitions }: WholeWorkflow, { id }: WorkflowStepRow) {
  return transitions.filter(({ fromStepId, toStepId }) => fromStepId === id || toStepId === id);
}

function spliced(workflow: WholeWorkflow, step: WorkflowStepRow): Splice {
  const joined = splice(graphOf(workflow), stepOfRow(step));
  if (joined === null) throw noOneSuccessor(step.type);
  return joined;
}

export function triggerStays(): Conflict {
  return new Conflict("Every workflow has its TRIGGER step. Nothing was deleted.", {
    suggestion: "Delete the whole workflow, or only the transition out of this step.",
  });
}

export function noOneSuccessor(type: WorkflowStepRow["type"] = "CONDITION"): Conflict {
  return new Conflict(`A ${type} has several successors, so it is unclear which one to use. Nothing was deleted.`, {
    suggestion: "Delete the step without splice, then add the transitions that you want.",
  });
}
