import type { Id } from "../../core/ids";
import type { Context } from "../../platform/context";
import type { StepCounts } from "../../platform/workflow-shards";
import { allShards } from "./shards";

/**
 * Returns for each step how many executions entered, completed, skipped or failed it. Asks all shards in parallel and
 * adds up their counts. Every shard keeps running totals, so no execution is counted here. A step without executions
 * has zeros.
 */
export async function countSteps(ctx: Context, workflowId: Id, stepIds: Id[]): Promise<StepCounts[]> {
  const shards = allShards(ctx, ctx.project.number);
  const asked = shards.map(({ address, shard }) => shard.countSteps(address, workflowId, stepIds));
  const counted = Map.groupBy((await Promise.all(asked)).flat(), ({ stepId }) => stepId);
  return stepIds.map((stepId) => {
    const parts = counted.get(stepId) ?? [];
    const sum = (of: Exclude<keyof StepCounts, "stepId" | "branches">) =>
      parts.reduce((total, part) => total + part[of], 0);
    const branches = Map.groupBy(
      parts.flatMap((part) => part.branches),
      ({ branch }) => branch,
    );
    return {
      stepId,
      entered: sum("entered"),
      waiting: sum("waiting"),
      completed: sum("completed"),
      failed: sum("failed"),
      skipped: sum("skipped"),
      branches: [...branches].map(([branch, some]) => ({
        branch,
        count: some.reduce((total, { count }) => total + count, 0),
      })),
    };
  });
}
