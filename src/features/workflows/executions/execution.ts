import { type SQL, sql } from "drizzle-orm";
import { NotFound } from "../../../core/errors";
import type { Id } from "../../../core/ids";
import { asFlag, asId, asNumber, columns } from "../../../db/rows";
import { inProject } from "../../../db/scope";
import { selectFirst } from "../../../db/statement";
import { type OpenShard, openShard } from "../../../engine/workflows/shards";
import type { Context } from "../../../platform/context";
import type { ExecutionView } from "../../../platform/workflow-shards";

/** Returns the condition that the workflow exists, for the guard of a batch. */
export function workflowExists(ctx: Context, id: Id): SQL {
  return sql`EXISTS (SELECT 1 FROM workflows WHERE ${inProject(ctx)} AND id = ${id})`;
}

/** Returns the workflow. Throws NotFound. */
export async function requireWorkflow(ctx: Context, id: Id): Promise<{ id: Id; allowReentry: boolean }> {
  const found = await selectFirst(
    ctx.db,
    sql`SELECT id, allow_reentry FROM workflows WHERE ${inProject(ctx)} AND id = ${id}`,
    columns({ id: asId, allowReentry: asFlag }),
  );
  if (!found) throw new NotFound("workflow", id);
  return found;
}

/** Returns the shard that stores the execution, as noted in its row in D1. Throws NotFound. */
export async function shardOfExecution(ctx: Context, workflowId: Id, id: Id): Promise<OpenShard> {
  await requireWorkflow(ctx, workflowId);
  const found = await selectFirst(
    ctx.db,
    sql`SELECT shard FROM workflow_executions
      WHERE ${inProject(ctx)} AND workflow_id = ${workflowId} AND id = ${id}`,
    columns({ shard: asNumber }),
  );
  if (!found) throw new NotFound("execution", id);
  return openShard(ctx, ctx.project.number, found.shard);
}

/** Returns the execution. Throws NotFound. */
export async function getExecution(ctx: Context, workflowId: Id, id: Id): Promise<ExecutionView> {
  const { address, shard } = await shardOfExecution(ctx, workflowId, id);
  const [view] = await shard.get(address, [id]);
  if (!view) throw new NotFound("execution", id);
  return view;
}
