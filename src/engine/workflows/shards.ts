import type { Id } from "../../core/ids";
import { shardCount, shardOf } from "../../core/workflows/shard-of";
import { type Context, type Platform, timeOfProject } from "../../platform/context";
import type { ShardAddress, WorkflowShard } from "../../platform/workflow-shards";

/** A shard, with the address that every call to it carries. */
export interface OpenShard {
  address: ShardAddress;
  shard: WorkflowShard;
}

export function openShard(
  platform: Platform & Partial<Pick<Context, "project">>,
  project: number,
  shard: number,
): OpenShard {
  // A caller without a project only reports the outcome of a call. The shard then uses the real clock.
  const own = platform.project?.testClock ? { at: timeOfProject(platform.project) } : {};
  const address = { project, shard, ...own };
  return { address, shard: platform.workflowShards.of(address) };
}

/** Returns the shard that stores the executions of a contact. */
export function shardOfContact(ctx: Context, contactId: Id): OpenShard {
  return openShard(ctx, ctx.project.number, shardOf(contactId));
}

export function allShards(platform: Platform, project: number): OpenShard[] {
  return Array.from({ length: shardCount }, (_, shard) => openShard(platform, project, shard));
}

/** Calls each shard that has any of the items, all in parallel. Throws if one of the calls fails. */
export async function eachShard<T>(
  ctx: Context,
  items: readonly T[],
  contactOf: (item: T) => Id,
  call: (one: OpenShard, items: T[]) => Promise<void>,
): Promise<void> {
  const groups = Map.groupBy(items, (item) => shardOf(contactOf(item)));
  await Promise.all([...groups].map(([shard, some]) => call(openShard(ctx, ctx.project.number, shard), some)));
}

/** Makes all shards of a project check whether they have something to do. */
export async function wakeShards(ctx: Context): Promise<void> {
  await Promise.all(allShards(ctx, ctx.project.number).map(({ address, shard }) => shard.poke(address)));
}
