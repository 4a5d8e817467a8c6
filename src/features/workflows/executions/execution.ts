import { sql } from "drizzle-orm";
import { NotFound } from "../../../core/errors";
import { type Id, publicId, publicIdOrNull } from "../../../core/ids";
import { iso, isoOrNull } from "../../../core/time";
import { asFlag, asId, asNumber, columns } from "../../../db/rows";
import { selectFirst } from "../../../db/statement";
import { type OpenShard, openShard } from "../../../engine/workflows/shards";
import type { Context } from "../../../platform/context";
import type { ExecutionView } from "../../../platform/workflow-shards";
import type { Execution, StepExecution } from "./schema";

export function executionJson(view: Omit<ExecutionView, "steps">): Execution {
  return {
    id: publicId(view.id),
    workflowId: publicId(view.workflowId),
    contactId: publicId(view.contactId),
    status: view.status,
    currentStepId: publicIdOrNull(view.currentStepId),
    exitReason: view.exitReason,
    context: view.context,
    error: view.error,
    startedAt: iso(view.startedAt),
    completedAt: isoOrNull(view.completedAt),
    createdAt: iso(view.startedAt),
    updatedAt: iso(view.updatedAt),
  };
}

export function wholeExecutionJson(view: ExecutionView): Execution & { steps: StepExecution[] } {
  return { ...executionJson(view), steps: view.steps.map((step) => stepJson(view.id, step)) };
}

/** An execution comes to a step once, so the two ids name what it did there. */
function stepJson(executionId: Id, step: ExecutionView["steps"][number]): StepExecution {
  return {
    id: `${publicId(executionId)}:${publicId(step.stepId)}`,
    executionId: publicId(executionId),
    stepId: publicId(step.stepId),
    type: step.type,
    name: step.name,
    status: step.status,
    output: step.output,
    branch: step.branch,
    reason: step.reason,
    error: step.error,
    startedAt: iso(step.startedAt),
    completedAt: isoOrNull(step.completedAt),
    scheduledFor: isoOrNull(step.scheduledFor),
  };
}

/** Throws NotFound. */
export async function requireWorkflow(ctx: Context, id: Id): Promise<{ id: Id; allowReentry: boolean }> {
  const found = await selectFirst(
    ctx.db,
    sql`SELECT id, allow_reentry FROM workflows WHERE project_id = ${ctx.project.number} AND id = ${id}`,
    columns({ id: asId, allowReentry: asFlag }),
  );
  if (!found) throw new NotFound("workflow", id);
  return found;
}

/** The shard that keeps the execution: its mirror row says which. Throws NotFound. */
export async function shardOfExecution(ctx: Context, workflowId: Id, id: Id): Promise<OpenShard> {
  await requireWorkflow(ctx, workflowId);
  const found = await selectFirst(
    ctx.db,
    sql`SELECT shard FROM workflow_executions
      WHERE project_id = ${ctx.project.number} AND workflow_id = ${workflowId} AND id = ${id}`,
    columns({ shard: asNumber }),
  );
  if (!found) throw new NotFound("execution", id);
  return openShard(ctx, ctx.project.number, found.shard);
}

/** Throws NotFound. */
export async function getExecution(ctx: Context, workflowId: Id, id: Id): Promise<ExecutionView> {
  const { address, shard } = await shardOfExecution(ctx, workflowId, id);
  const [view] = await shard.get(address, [id]);
  if (!view) throw new NotFound("execution", id);
  return view;
}
