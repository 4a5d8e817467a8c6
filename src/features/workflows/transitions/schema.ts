import { z } from "zod";
import { readId } from "../../../core/ids";
import { definitionOf, stepTypes } from "../../../core/workflows/step";
import { stepExample, triggerStepExample } from "../steps/schema";

const maxPriority = 1_000_000;

export const transitionExample = {
  id: "0199a0f2-b5e1-7f33-9c4d-6e7f8a9b0c1d",
  workflowId: stepExample.workflowId,
  fromStepId: triggerStepExample.id,
  toStepId: stepExample.id,
  branch: null,
  priority: 0,
  createdAt: "2026-01-31T09:00:00.000Z",
};

export const Transition = z
  .object({
    id: z.string(),
    workflowId: z.string(),
    fromStepId: z.string(),
    toStepId: z.string(),
    branch: z.string().nullable(),
    priority: z.number().int(),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: "WorkflowTransition", example: transitionExample });

const StepId = z.string().min(1).transform(readId);
const Branch = z.string().min(1).nullish();
const whichBranch = stepTypes.flatMap((type) => {
  const { branches } = definitionOf(type);
  return branches ? `From a ${type}: ${branches.are}. ` : [];
});

/** The transition fields that a call sets, in addition to the two steps that the transition joins. */
export const fields = {
  branch: Branch.meta({
    description: `The branch that the transition follows. ${whichBranch.join("")}From other steps: none.`,
  }),
  priority: z.number().int().min(-maxPriority).max(maxPriority).nullish(),
};

export const CreateTransition = z
  .object({
    fromStepId: StepId,
    toStepId: StepId,
    ...fields,
    condition: z.object({ branch: Branch }).nullish().meta({ description: "Another form of `branch`." }),
  })
  .transform(({ condition, ...sent }, check) => {
    const [branch, other] = [sent.branch ?? null, condition?.branch ?? null];
    if (branch !== null && other !== null && branch !== other) {
      const message = `branch is ${branch} and condition.branch is ${other}: send one of them`;
      check.addIssue({ code: "custom", path: ["branch"], message, params: { code: "custom" } });
    }
    return { ...sent, branch: branch ?? other };
  })
  .meta({
    id: "CreateWorkflowTransition",
    example: { fromStepId: triggerStepExample.id, toStepId: stepExample.id },
  });
export type CreateTransition = z.infer<typeof CreateTransition>;
