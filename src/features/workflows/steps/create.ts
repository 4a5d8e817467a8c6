import { Invalid } from "../../../core/errors";
import type { Id } from "../../../core/ids";
import { foreignNames } from "../../../core/workflows/config-names";
import { drawingFault } from "../../../core/workflows/structure";
import { isInserted } from "../../../db/own-rows";
import type { WorkflowStepRow } from "../../../db/tables";
import { graphOf } from "../../../engine/workflows/graph";
import type { Context } from "../../../platform/context";
import { changeWorkflow, type WorkflowChange } from "../change";
import { insertSteps, insertTransitions, newStep, newTransition } from "../graph-rows";
import { requireStep, type WholeWorkflow } from "../workflow";
import { checkConfig, guardTemplate, refuseTemplate } from "./check-config";
import type { CreateStep } from "./schema";

/** How far below its predecessor a step is drawn by default. */
export const rowHeight = 150;

/** Implements `POST /workflows/{id}/steps`. Throws NotFound, Invalid and Conflict. */
export async function createStep(ctx: Context, workflowId: Id, input: CreateStep): Promise<WorkflowStepRow> {
  refuseTemplate(input.type, input.templateId);
  if (input.branch && !input.connectFrom) {
    const message = "branch belongs to connectFrom, which is missing";
    throw new Invalid([{ field: "branch", code: "custom", message }]);
  }
  const { steps } = await changeWorkflow(ctx, workflowId, async (before) => {
    const from = input.connectFrom ? requireStep(before, input.connectFrom) : null;
    const { config, templateId, guards } = await checkConfig(ctx, input.type, input.config ?? {});
    const above = from ?? lowest(before);
    const step = newStep(ctx, {
      workflowId,
      type: input.type,
      name: input.name ?? input.type,
      ...(input.position ?? { x: above.x, y: above.y + rowHeight }),
      config,
      templateId: input.templateId ?? templateId,
    });
    const change: WorkflowChange = {
      after: { ...before, steps: [...before.steps, step] },
      statements: [insertSteps([step])],
      guards: [...guards, ...guardTemplate(ctx, step.templateId)],
      hasCommitted: isInserted("workflow_steps", ctx, step.id),
    };
    return from ? connected(ctx, change, { from, to: step, branch: input.branch ?? null }) : change;
  });
  ctx.warnings.push(...foreignNames(input.type, input.config));
  return newest(steps);
}

/** Returns the new step, which is the last one, because rows are in the order of their creation. */
function newest(steps: readonly WorkflowStepRow[]): WorkflowStepRow {
  const step = steps.at(-1);
  if (step === undefined) throw new Error("A workflow has at least its TRIGGER");
  return step;
}

/**
 * Returns the change with one more transition, which leads to the new step. If the transition is not allowed, throws
 * Invalid with the field names of the call.
 */
function connected(
  ctx: Context,
  { after, statements = [], ...change }: WorkflowChange,
  { from, to, branch }: { from: WorkflowStepRow; to: WorkflowStepRow; branch: string | null },
): WorkflowChange {
  const drawing = { fromStepId: from.id, toStepId: to.id, branch };
  const fault = drawingFault(graphOf(after), drawing);
  if (fault) throw new Invalid([{ ...fault, field: fault.field === "branch" ? "branch" : "connectFrom" }]);
  const transition = newTransition(ctx, { workflowId: to.workflowId, ...drawing, priority: 0 });
  return {
    ...change,
    after: { ...after, transitions: [...after.transitions, transition] },
    statements: [...statements, insertTransitions([transition])],
  };
}

/** Returns the position at x = 0 at the height of the lowest step. */
function lowest({ steps }: WholeWorkflow): { x: number; y: number } {
  return { x: 0, y: Math.max(...steps.map(({ y }) => y)) };
}
