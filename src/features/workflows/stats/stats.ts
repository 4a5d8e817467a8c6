import { type Id, publicId } from "../../../core/ids";
import { branchNames } from "../../../core/workflows/branches";
import { countMails } from "../../../engine/workflows/count-mails";
import { countSteps } from "../../../engine/workflows/count-steps";
import { graphOf } from "../../../engine/workflows/graph";
import type { Context } from "../../../platform/context";
import type { StepCounts } from "../../../platform/workflow-shards";
import { getWorkflow } from "../workflow";
import type { WorkflowStats } from "./schema";

/** `GET /workflows/{id}/stats`: what became of the executions that came to each step. Throws NotFound. */
export async function workflowStats(ctx: Context, id: Id): Promise<WorkflowStats> {
  const { steps } = graphOf(await getWorkflow(ctx, id));
  const counted = await countSteps(
    ctx,
    id,
    steps.map((step) => step.id),
  );
  const told = steps.map(async (step, place) => {
    const counts = counted[place];
    if (counts === undefined) return [];
    const named = { stepId: publicId(step.id), name: step.name, type: step.type };
    const branches = allBranches(branchNames(step), counts.branches);
    return [{ ...counts, ...named, branches, ...(step.type === "SEND_EMAIL" && (await mailsOf(ctx, counts))) }];
  });
  return { steps: (await Promise.all(told)).flat() };
}

/** Those that the step has now, in their order, and then those that it had. */
function allBranches(names: string[], counted: StepCounts["branches"]): StepCounts["branches"] {
  const counts = new Map(counted.map(({ branch, count }) => [branch, count]));
  const all = new Set([...names, ...counts.keys()]);
  return [...all].map((branch) => ({ branch, count: counts.get(branch) ?? 0 }));
}

async function mailsOf(ctx: Context, { stepId, completed }: StepCounts) {
  const { approximate, ...figures } = await countMails(ctx, stepId, completed);
  return { ...figures, ...(approximate && { approximate: true as const, countedAt: ctx.now.toISOString() }) };
}
