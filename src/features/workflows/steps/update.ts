import { Invalid } from "../../../core/errors";
import type { Id } from "../../../core/ids";
import type { JsonObject } from "../../../core/json";
import { foreignNames } from "../../../core/workflows/config-names";
import { lostBranches } from "../../../core/workflows/structure";
import type { Statement } from "../../../db/statement";
import type { WorkflowStepRow } from "../../../db/tables";
import { graphOf, stepOfRow } from "../../../engine/workflows/graph";
import type { Context } from "../../../platform/context";
import { changeWorkflow } from "../change";
import { updateSteps } from "../graph-rows";
import { requireStep, type WholeWorkflow } from "../workflow";
import { checkConfig, guardTemplate, refuseTemplate, templateIn } from "./check-config";
import type { UpdateStep } from "./schema";
import { guardBranches } from "./standing";

/** Implements `PATCH /workflows/{id}/steps/{stepId}`: changes only the fields sent; a config is replaced whole. */
export async function updateStep(
  ctx: Context,
  { workflowId, stepId }: { workflowId: Id; stepId: Id },
  change: UpdateStep,
): Promise<WorkflowStepRow> {
  const saved = await changeWorkflow(ctx, workflowId, async (before) => {
    const step = requireStep(before, stepId);
    if (change.type !== undefined) refuseOtherType(step, change.type);
    refuseTemplate(step.type, change.templateId);
    const checked = change.config ? await checkConfig(ctx, step.type, change.config) : null;
    const config = checked?.config ?? step.config;
    const after: WorkflowStepRow = {
      ...step,
      name: change.name ?? step.name,
      ...change.position,
      config,
      templateId: templateAfter(step, config, change),
    };
    if (JSON.stringify(after) === JSON.stringify(step)) return null;
    after.updatedAt = Math.max(step.updatedAt, ctx.now.getTime());
    return {
      after: { ...before, steps: before.steps.map((one) => (one.id === stepId ? after : one)) },
      statements: [updateSteps(ctx, workflowId, [after])],
      guards: [
        ...(checked?.guards ?? []),
        ...(after.templateId === step.templateId ? [] : guardTemplate(ctx, after.templateId)),
        ...branchGuards(ctx, before, { step, after }),
      ],
    };
  });
  const step = requireStep(saved, stepId);
  ctx.warnings.push(...foreignNames(step.type, change.config));
  return step;
}

/**
 * Throws Invalid if the wanted type is not that of the step. The type never changes, because a step's records and
 * outputs depend on it.
 */
export function refuseOtherType({ type }: WorkflowStepRow, wanted: string): void {
  if (wanted === type) return;
  const message = `The type of a step cannot change, and this one is a ${type}: create another step`;
  throw new Invalid([{ field: "type", code: "custom", message, received: wanted }]);
}

/**
 * Returns the template that the step will use, for its `template_id` column. A new config replaces a template that came
 * from the old config, but not one that was set on the step itself.
 */
function templateAfter(step: WorkflowStepRow, config: JsonObject, { templateId }: UpdateStep): Id | null {
  const [had, has] = [templateIn(step.type, step.config), templateIn(step.type, config)];
  if (templateId !== undefined) return templateId ?? has;
  return step.templateId === had ? has : step.templateId;
}

/**
 * Returns guards for a change of branches, which require that no execution is at the step. Throws Invalid if a branch
 * with a transition would disappear.
 */
function branchGuards(
  ctx: Context,
  workflow: WholeWorkflow,
  { step, after }: { step: WorkflowStepRow; after: WorkflowStepRow },
): Statement[] {
  const guards = guardBranches(ctx, step, after);
  const lost = guards.length === 0 ? [] : lostBranches(graphOf(workflow), stepOfRow(after));
  if (lost.length > 0) {
    const message = `The step would lose the branch ${lost.join(", ")}, which has a transition: delete the transition first`;
    throw new Invalid([{ field: "config", code: "custom", message }]);
  }
  return guards;
}
