import type { Id } from "../../core/ids";
import { shardCount, shardOf } from "../../core/workflows/shard-of";
import { type Context, type Platform, timeOfProject } from "../../platform/context";
import type { ShardAddress, WorkflowShard } from "../../platform/workflow-shards";

/** A shard, with the address that each of its calls carries. */
export interface OpenShard {
  address: ShardAddress;
  shard: WorkflowShard;
}

export function openShard(
  platform: Platform & Partial<Pick<Context, "project">>,
  project: number,
  shard: number,
): OpenShard {
  // Whoever reports a call goes by the real clock.
  const own = platform.project?.testClock ? { at: timeOfProject(platform.project) } : {};
  const address = { project, shard, ...own };
  return { address, shard: platform.workflowShards.of(address) };
}

/** The shard that keeps the executions of a contact. */
export function shardOfContact(ctx: Context, contactId: Id): OpenShard {
  return openShard(ctx, ctx.project.number, shardOf(contactId));
}

export function allShards(platform: Platform, project: number): OpenShard[] {
  return Array.from({ length: shardCount }, (_, shard) => openShard(platform, project, shard));
}

/** One call for each shard that has some of the items, all at once. Throws when one of them did not take its own. */
export async function eachShard<T>(
  ctx: Context,
  items: readonly T[],
  contactOf: (item: T) => Id,
  call: (one: OpenShard, items: T[]) => Promise<void>,
): Promise<void> {
  const groups = Map.groupBy(items, (item) => shardOf(contactOf(item)));
  await Promise.all([...groups].map(([shard, some]) => call(openShard(ctx, ctx.project.number, shard), some)));
}
