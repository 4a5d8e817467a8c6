import { type SQL, sql } from "drizzle-orm";
import type { Id } from "../../core/ids";
import type { StoredJobType } from "../../core/jobs";
import type { JsonObject } from "../../core/json";
import { openBatch } from "../../db/batch";
import { wholeRow } from "../../db/rows";
import { guard, type Statement, statement } from "../../db/statement";
import { type JobRow, jobs } from "../../db/tables";
import { type Context, forProject, type Platform } from "../../platform/context";
import { letOthersIn } from "../../platform/let-others-in";
import { findProject } from "../projects/project";
import { type JobNotes, nextAnnouncement } from "./job";

/** Whether a job goes on after a step. One that waits for something comes again with the sweep, from where it stands. */
export type Step = "goes on" | "waits" | "ended";

/** The message of a stored job. */
export interface StoredJob {
  type: StoredJobType;
  projectId: number;
  jobId: Id;
}

/** Another run has done this step. Two runs of a job may overlap, and only one of them does each step. */
class MovedOn extends Error {
  override readonly name = "MovedOn";
}

/**
 * One run of a stored job: step after step until it has ended or has had its share; then it goes on in another message.
 * `step` is given the row as the step before it left it, and writes its work and the row's next state in one batch that
 * begins with `guardState`. So a run that dies loses at most one step, and one that comes twice does nothing twice.
 */
export async function workOn(
  platform: Platform,
  job: StoredJob,
  step: (ctx: Context, row: JobRow) => Promise<Step>,
  { stepsPerRun = 25 }: { stepsPerRun?: number } = {},
): Promise<void> {
  const project = await findProject(platform, job.projectId);
  if (!project) return forget(platform, job);
  const ctx = forProject(platform, project);
  try {
    for (let steps = 0; steps < stepsPerRun; steps++) {
      const row = await take(ctx, job.jobId);
      if (row === null || (await step(ctx, row)) !== "goes on") return;
      await letOthersIn();
    }
  } catch (error) {
    // The other run carries on from there.
    if (error instanceof MovedOn) return;
    throw error;
  }
  await platform.enqueue([{ job }]);
}

/**
 * The job of a project that is gone, and the one that waits behind it: the sweep would announce it for ever. Whichever
 * database it was in, it is in one.
 */
async function forget(platform: Platform, { projectId, jobId }: StoredJob): Promise<void> {
  for (const db of platform.databases) {
    const behind = sql`SELECT input->>'waitingJobId' FROM jobs WHERE project_id = ${projectId} AND id = ${jobId}`;
    const batch = openBatch({ ...platform, db });
    batch.add(statement(sql`DELETE FROM jobs WHERE project_id = ${projectId} AND id IN (${jobId}, (${behind}))`));
    await batch.commit();
  }
}

/** The job as it is now, and for a while none of the sweep's business; null when it has ended. */
async function take(ctx: Context, jobId: Id): Promise<JobRow | null> {
  const until = nextAnnouncement(ctx.clock().getTime());
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

/** The guard that a step's batch begins with: the job still stands where the step found it. */
export function guardState(ctx: Context, row: JobRow): Statement {
  return guard(
    sql`EXISTS (SELECT 1 FROM jobs WHERE project_id = ${ctx.project.number} AND id = ${row.id} AND status = 'processing'
      AND state = ${JSON.stringify(row.state)})`,
    () => new MovedOn(),
  );
}

/**
 * The statement by which a step says how far the job is now. `progress` is 0 to 100. What it `told`, for those who
 * follow the job, may be counted by the database itself: then it goes before the change that it counts.
 */
export function updateState(
  ctx: Context,
  row: JobRow,
  state: JobNotes,
  progress: number,
  { result = sql`result`, errors = sql`errors` }: { result?: SQL; errors?: SQL } = {},
): Statement {
  return statement(
    sql`UPDATE jobs SET state = ${JSON.stringify(state)}, progress = ${Math.min(99, Math.floor(progress))},
        result = ${result}, errors = ${errors}
      WHERE project_id = ${ctx.project.number} AND id = ${row.id}`,
  );
}

/** The statement by which a step ends its job. */
export function updateEnded(
  ctx: Context,
  row: JobRow,
  end: { status: "completed" | "failed"; state?: JobNotes; result?: JsonObject | null; errors?: JsonObject[] },
): Statement {
  const { status, state = row.state, result = null, errors = row.errors } = end;
  return statement(
    sql`UPDATE jobs SET status = ${status}, state = ${JSON.stringify(state)}, progress = 100, next_announce_at = NULL,
        result = ${result === null ? null : JSON.stringify(result)}, errors = ${JSON.stringify(errors)},
        completed_at = ${ctx.clock().getTime()}
      WHERE project_id = ${ctx.project.number} AND id = ${row.id}`,
  );
}
