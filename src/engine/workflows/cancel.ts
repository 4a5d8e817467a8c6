import type { Id } from "../../core/ids";
import type { Context } from "../../platform/context";
import { allShards } from "./shards";

/** Ends the active executions of one workflow, or of all workflows. Returns how many were ended. */
export async function cancelExecutions(ctx: Context, workflowId: Id | null, reason: string): Promise<number> {
  const ended = await Promise.all(
    allShards(ctx, ctx.project.number).map(({ address, shard }) => shard.cancelAll(address, workflowId, reason)),
  );
  return ended.reduce((sum, count) => sum + count, 0);
}
