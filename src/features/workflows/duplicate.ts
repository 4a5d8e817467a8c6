import { copyName } from "../../core/copy-name";
import { type Id, newIdAt } from "../../core/ids";
import { isUnchanged, Stale, untilFresh } from "../../db/fresh";
import { guard } from "../../db/statement";
import type { Context } from "../../platform/context";
import { newStep, newTransition } from "./graph-rows";
import { newWorkflow, saveNew } from "./insert";
import { getWorkflow, rulesOf, type WholeWorkflow } from "./workflow";

/**
 * Implements `POST /workflows/{id}/duplicate`: copies the steps and transitions under new ids, into a disabled
 * workflow.
 */
export async function duplicateWorkflow(ctx: Context, id: Id): Promise<WholeWorkflow> {
  return untilFresh(async () => {
    const original = await getWorkflow(ctx, id);
    // No guards for references are needed, because no record can be deleted while the original refers to it.
    return saveNew(ctx, copyOf(ctx, original), [guard(isUnchanged("workflows", original.row), () => new Stale())]);
  }, ctx.random);
}

function copyOf(ctx: Context, original: WholeWorkflow): WholeWorkflow {
  const { name, description, allowReentry } = original.row;
  const id = newIdAt(ctx.now.getTime());
  const { trigger } = rulesOf(original);
  const row = newWorkflow(ctx, { id, name: copyName(name), description, allowReentry, trigger });
  const copies = new Map(original.steps.map((step) => [step.id, newStep(ctx, { ...step, workflowId: id })]));
  const copied = (stepId: Id) => copies.get(stepId)?.id ?? stepId;
  const transitions = original.transitions.map(({ fromStepId, toStepId, branch, priority, ordinal }) =>
    newTransition(ctx, {
      workflowId: id,
      fromStepId: copied(fromStepId),
      toStepId: copied(toStepId),
      branch,
      priority,
      ordinal,
    }),
  );
  return { row, steps: [...copies.values()], transitions };
}
