import { type Id, publicId } from "../../../core/ids";
import { branchNames } from "../../../core/workflows/structure";
import { countMails } from "../../../engine/workflows/count-mails";
import { countSteps } from "../../../engine/workflows/count-steps";
import { graphOf } from "../../../engine/workflows/graph";
import type { Context } from "../../../platform/context";
import type { StepCounts } from "../../../platform/workflow-shards";
import { getWorkflow } from "../workflow";
import type { WorkflowStats } from "./schema";

/**
 * Implements `GET /workflows/{id}/stats`: how many executions entered, completed, skipped or failed each step. Throws
 * NotFound.
 */
export async function workflowStats(ctx: Context, id: Id): Promise<WorkflowStats> {
  const { steps } = graphOf(await getWorkflow(ctx, id));
  const counted = await countSteps(
    ctx,
    id,
    steps.map((step) => step.id),
  );
  const withMails = steps.map(async (step, index) => {
    const counts = counted[index];
    if (counts === undefined) return [];
    const named = { stepId: publicId(step.id), name: step.name, type: step.type };
    const branches = allBranches(branchNames(step).names, counts.branches);
    return [{ ...counts, ...named, branches, ...(step.type === "SEND_EMAIL" && (await mailsOf(ctx, counts))) }];
  });
  return { steps: (await Promise.all(withMails)).flat() };
}

/** Returns the branches that the step has now, in their order, followed by branches that it had before. */
function allBranches(names: string[], counted: StepCounts["branches"]): StepCounts["branches"] {
  const counts = new Map(counted.map(({ branch, count }) => [branch, count]));
  const all = new Set([...names, ...counts.keys()]);
  return [...all].map((branch) => ({ branch, count: counts.get(branch) ?? 0 }));
}

async function mailsOf(ctx: Context, { stepId, completed }: StepCounts) {
  const { approximate, ...figures } = await countMails(ctx, stepId, completed);
  return { ...figures, ...(approximate && { approximate: true as const, countedAt: ctx.now.toISOString() }) };
}
