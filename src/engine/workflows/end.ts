import { eq } from "drizzle-orm";
import { z } from "zod";
import { newId } from "../../core/ids";
import { secondMs } from "../../core/time";
import { openBatch } from "../../db/batch";
import { isInserted } from "../../db/own-rows";
import { type JobRow, projects } from "../../db/tables";
import type { Context } from "../../platform/context";
import { wakeCampaigns } from "../campaigns/wake";
import { announceJob, insertJob } from "../jobs/queue-job";
import { guardState, type Step, updateEnded, updateState } from "../jobs/step";
import { cacheMs } from "../projects/cache";
import { cancelExecutions } from "./cancel";
import { projectDisabled } from "./shard/erase";

const patienceMs = 2 * cacheMs;

/** Queues a job that ends all executions of a disabled project, and holds its campaigns. */
export async function queueEnd(ctx: Context): Promise<void> {
  const jobId = newId();
  const batch = openBatch(ctx);
  batch.recognise(isInserted("jobs", ctx, jobId));
  batch.add(insertJob(ctx, { id: jobId, type: "workflows.end" }));
  await batch.commit();
  await announceJob(ctx, "workflows.end", jobId);
}

/** The number of executions that the first pass has ended, and the time at which the second pass can begin. */
const State = z.object({ cancelled: z.number().optional(), again: z.number().optional() });

/**
 * Runs a step of `workflows.end`. An active shard or campaign notices by itself that its project is disabled; this job
 * reaches the idle ones. It takes two passes. After the first one, other isolates may treat the project as enabled
 * until their caches expire, and start executions. The second pass begins after that, and ends these executions.
 */
export async function endExecutionsStep(ctx: Context, row: JobRow): Promise<Step> {
  const { cancelled: before = 0, again } = State.parse(row.state);
  const now = ctx.realClock().getTime();
  if (again !== undefined && now < again) return "waits";
  const cancelled = before + (await endIfDisabled(ctx));
  const batch = openBatch(ctx);
  batch.add(guardState(ctx, row));
  if (again === undefined) batch.add(updateState(ctx, row, { cancelled, again: now + patienceMs }, 50));
  else batch.add(updateEnded(ctx, row, { status: "completed", result: { cancelled } }));
  await batch.commit();
  if (again !== undefined) return "ended";
  const message = { type: "workflows.end" as const, projectId: ctx.project.number, jobId: row.id };
  await ctx.enqueue([{ message, delaySeconds: patienceMs / secondMs }]);
  return "waits";
}

async function endIfDisabled(ctx: Context): Promise<number> {
  // Reads the current row, because the project may have been enabled again.
  const project = await ctx.control
    .select({ disabled: projects.disabled })
    .from(projects)
    .where(eq(projects.number, ctx.project.number))
    .get();
  if (!project?.disabled) return 0;
  await wakeCampaigns(ctx);
  return await cancelExecutions(ctx, null, projectDisabled);
}
