import { sql } from "drizzle-orm";
import { type Id, publicId } from "../../core/ids";
import type { StoredJob } from "../../core/messages";
import { openBatch } from "../../db/batch";
import { wholeRow } from "../../db/rows";
import { inProject } from "../../db/scope";
import { statement } from "../../db/statement";
import { type JobRow, jobs } from "../../db/tables";
import { type Context, forProject, type Platform } from "../../platform/context";
import { letOthersIn } from "../../platform/let-others-in";
import { reasonOf } from "../../platform/log";
import { findProject } from "../projects/project";
import { type Release, recordFailure } from "./fail";
import { deleteJobs, nextAnnouncement } from "./job";
import { MovedOn, type Step } from "./step";

/** How a job's runs behave, and how a failing job ends. */
export interface JobRuns {
  stepsPerRun?: number;
  /** Returns the delay before the next run, for jobs that give way to other jobs. */
  pauseSeconds?: (ctx: Context) => Promise<number>;
  /** See `Release`. */
  release?: Release;
}

type JobStep = (ctx: Context, row: JobRow) => Promise<Step>;

/** Returns the handler of a job's messages. */
export function storedJob(step: JobStep, runs?: JobRuns): (platform: Platform, job: StoredJob) => Promise<void> {
  return (platform, job) => workOn(platform, job, step, runs);
}

/**
 * Runs a stored job step by step, until it has ended or has used its share of steps, statements or CPU; another message
 * then continues it. `step` receives the row that the previous step wrote. It writes its work and the next state in one
 * batch that begins with `guardState`. A run that crashes therefore loses at most one step, and a repeated message does
 * nothing twice. A job whose runs fail for a day is given up; see fail.ts.
 */
export async function workOn(platform: Platform, job: StoredJob, step: JobStep, runs: JobRuns = {}): Promise<void> {
  const project = await findProject(platform, job.projectId);
  if (!project) return deleteOrphan(platform, job);
  await runSteps(forProject(platform, project), job, step, runs);
}

/** Runs a stored job whose row is in the database of `ctx`. */
export async function runSteps(
  ctx: Context,
  job: StoredJob,
  step: JobStep,
  { stepsPerRun = 25, pauseSeconds, release = () => [] }: JobRuns = {},
): Promise<void> {
  const isSpent = () => ctx.cpu.isSpent() || !ctx.spent.hasLeft();
  for (let steps = 0; steps < stepsPerRun && !(steps > 0 && isSpent()); steps++) {
    const row = await claimJob(ctx, job.jobId);
    if (row === null) return;
    try {
      if ((await step(ctx, row)) !== "goes on") return;
    } catch (error) {
      // After MovedOn, the run that did the step continues the job.
      if (error instanceof MovedOn || (await isGivenUp(ctx, row, error, release))) return;
      throw error;
    }
    await letOthersIn();
  }
  await ctx.enqueue([{ message: job, ...(pauseSeconds && { delaySeconds: await pauseSeconds(ctx) }) }]);
}

/**
 * Records the failure of a run, and returns whether the job was given up. An error while recording is only logged: the
 * run throws the original error, and failures are counted from the next run on.
 */
async function isGivenUp(ctx: Context, row: JobRow, error: unknown, release: Release): Promise<boolean> {
  try {
    return await recordFailure(ctx, row, error, release);
  } catch (another) {
    if (!(another instanceof MovedOn)) {
      ctx.log("error", "The failure of a job could not be recorded", {
        jobId: publicId(row.id),
        reason: reasonOf(another),
      });
    }
    return false;
  }
}

/**
 * Deletes the job of a project that no longer exists; otherwise the sweep would announce it forever. The project's
 * database is no longer known, so all are tried.
 */
async function deleteOrphan(platform: Platform, { projectId, jobId }: StoredJob): Promise<void> {
  for (const db of platform.databases) {
    const batch = openBatch(platform, db);
    batch.add(deleteJobs(sql`project_id = ${projectId} AND id = ${jobId}`));
    await batch.commit();
  }
}

/**
 * Marks the job as running, so that the sweep ignores it for a while, and returns its current row; null when it has
 * ended.
 */
async function claimJob(ctx: Context, jobId: Id): Promise<JobRow | null> {
  const until = nextAnnouncement(ctx.realClock().getTime());
  const batch = openBatch(ctx);
  const claimed = batch.add(
    statement(
      sql`UPDATE jobs SET status = 'processing', next_announce_at = ${until}
        WHERE ${inProject(ctx)} AND id = ${jobId} AND status IN ('queued', 'processing')
        RETURNING *`,
      wholeRow(jobs),
    ),
  );
  await batch.commit();
  return claimed.first ?? null;
}
