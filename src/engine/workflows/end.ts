import { eq } from "drizzle-orm";
import { newId } from "../../core/ids";
import type { MessageOf } from "../../core/messages";
import { openBatch } from "../../db/batch";
import { type JobRow, projects } from "../../db/tables";
import type { Context, Platform } from "../../platform/context";
import { announceJob, insertJob } from "../jobs/queue-job";
import { guardState, type Step, updateEnded } from "../jobs/step";
import { workOn } from "../jobs/work";
import { cancelExecutions } from "./cancel";
import { projectDisabled } from "./shard-erase";

/** Has the executions of a project ended, because it was disabled. */
export async function queueEnd(ctx: Context): Promise<void> {
  const batch = openBatch(ctx);
  const job = batch.add(insertJob(ctx, { id: newId(), type: "workflows.end" }));
  await batch.commit();
  await announceJob(ctx, "workflows.end", job.one.id);
}

/** `workflows.end`: a shard that is at work finds out by itself, but one that sleeps would not. */
export function endExecutionsJob(platform: Platform, job: MessageOf<"workflows.end">): Promise<void> {
  return workOn(platform, job, endStep);
}

async function endStep(ctx: Context, row: JobRow): Promise<Step> {
  // As it is now: somebody may have enabled it again.
  const project = await ctx.control
    .select({ disabled: projects.disabled })
    .from(projects)
    .where(eq(projects.number, ctx.project.number))
    .get();
  const cancelled = project?.disabled ? await cancelExecutions(ctx, null, projectDisabled) : 0;
  const batch = openBatch(ctx);
  batch.add(guardState(ctx, row));
  batch.add(updateEnded(ctx, row, { status: "completed", result: { cancelled } }));
  await batch.commit();
  return "ended";
}
