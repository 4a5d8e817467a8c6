import { sql } from "drizzle-orm";
import { type Id, publicId } from "../../core/ids";
import type { JobType } from "../../core/messages";
import { openBatch } from "../../db/batch";
import { wholeRow } from "../../db/rows";
import { statement } from "../../db/statement";
import { type JobRow, jobs } from "../../db/tables";
import { type Context, forProject, type Platform } from "../../platform/context";
import { letOthersIn } from "../../platform/let-others-in";
import { reasonOf } from "../../platform/log";
import { findProject } from "../projects/project";
import { noteFailure, type Release } from "./fail";
import { deleteJobs, nextAnnouncement } from "./job";
import { MovedOn, type Step } from "./step";

/** The message of a stored job. */
export interface StoredJob {
  type: JobType;
  projectId: number;
  jobId: Id;
}

interface Working {
  stepsPerRun?: number;
  /** How long the next run waits, for jobs that leave room for others. */
  pauseSeconds?: (ctx: Context) => Promise<number>;
  /** What is freed when the job is given up; see `Release`. */
  release?: Release;
}

/**
 * One run of a stored job: step after step until it has ended or has had its share of steps, statements and CPU; then it goes on in another message.
 * `step` is given the row as the step before it left it, and writes its work and the row's next state in one batch that
 * begins with `guardState`. So a run that dies loses at most one step, and one that comes twice does nothing twice. A job
 * whose runs fail for a day is given up; see fail.ts.
 */
export async function workOn(
  platform: Platform,
  job: StoredJob,
  step: (ctx: Context, row: JobRow) => Promise<Step>,
  { stepsPerRun = 25, pauseSeconds, release = () => [] }: Working = {},
): Promise<void> {
  const project = await findProject(platform, job.projectId);
  if (!project) return forget(platform, job);
  const ctx = forProject(platform, project);
  const isSpent = () => ctx.cpu.isSpent() || !ctx.spent.hasLeft();
  for (let steps = 0; steps < stepsPerRun && !(steps > 0 && isSpent()); steps++) {
    const row = await take(ctx, job.jobId);
    if (row === null) return;
    try {
      if ((await step(ctx, row)) !== "goes on") return;
    } catch (error) {
      // The other run carries on from there.
      if (error instanceof MovedOn || (await isGivenUp(ctx, row, error, release))) return;
      throw error;
    }
    await letOthersIn();
  }
  await platform.enqueue([{ message: job, ...(pauseSeconds && { delaySeconds: await pauseSeconds(ctx) }) }]);
}

/** What went wrong first is what the run throws: a failure that cannot be noted counts from the next one on. */
async function isGivenUp(ctx: Context, row: JobRow, error: unknown, release: Release): Promise<boolean> {
  try {
    return await noteFailure(ctx, row, error, release);
  } catch (another) {
    if (!(another instanceof MovedOn)) {
      ctx.log("error", "The failure of a job could not be noted", {
        jobId: publicId(row.id),
        reason: reasonOf(another),
      });
    }
    return false;
  }
}

/** The job of a project that is gone: the sweep would announce it for ever. Whichever database it was in, it is in one. */
async function forget(platform: Platform, { projectId, jobId }: StoredJob): Promise<void> {
  for (const db of platform.databases) {
    const batch = openBatch({ ...platform, db });
    batch.add(deleteJobs(sql`project_id = ${projectId} AND id = ${jobId}`));
    await batch.commit();
  }
}

/** The job as it is now, and for a while none of the sweep's business; null when it has ended. */
async function take(ctx: Context, jobId: Id): Promise<JobRow | null> {
  const until = nextAnnouncement(ctx.realClock().getTime());
  const batch = openBatch(ctx);
  const taken = batch.add(
    statement(
      sql`UPDATE jobs SET status = 'processing', next_announce_at = ${until}
        WHERE project_id = ${ctx.project.number} AND id = ${jobId} AND status IN ('queued', 'processing')
        RETURNING *`,
      wholeRow(jobs),
    ),
  );
  await batch.commit();
  return taken.first ?? null;
}
