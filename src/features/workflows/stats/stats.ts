import { type Id, publicId } from "../../../core/ids";
import { countSteps } from "../../../engine/workflows/count-steps";
import type { Context } from "../../../platform/context";
import { getWorkflow } from "../workflow";
import type { WorkflowStats } from "./schema";

/** `GET /workflows/{id}/stats`: what became of the executions that came to each step. Throws NotFound. */
export async function workflowStats(ctx: Context, id: Id): Promise<WorkflowStats> {
  const { steps } = await getWorkflow(ctx, id);
  const counted = await countSteps(
    ctx,
    id,
    steps.map((step) => step.id),
  );
  return {
    steps: steps.flatMap(({ name, type }, place) => {
      const counts = counted[place];
      return counts ? [{ ...counts, stepId: publicId(counts.stepId), name, type }] : [];
    }),
  };
}
