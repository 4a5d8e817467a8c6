import { and, eq, type SQL, sql } from "drizzle-orm";
import { NotFound } from "../../core/errors";
import type { Id } from "../../core/ids";
import type { JsonValue } from "../../core/json";
import type { JobType } from "../../core/messages";
import { hourMs, minuteMs } from "../../core/time";
import { openBatch } from "../../db/batch";
import type { Db } from "../../db/client";
import { inProject } from "../../db/scope";
import { type Statement, statement } from "../../db/statement";
import { type JobRow, jobs } from "../../db/tables";
import type { Context, Platform } from "../../platform/context";

/** The input or state that a job stores: JSON, with ids as the database stores them. */
export type JobNotes = { [key: string]: JobNote };
type JobNote = JsonValue | Id | JobNote[] | JobNotes;

/**
 * How long a job can be idle before it is announced again, in milliseconds. This is longer than any run takes. An old
 * job can be idle for an eighth of its age if that is longer.
 */
export const jobGraceMs = 5 * minuteMs;

const maxGraceMs = 6 * hourMs;

/**
 * Returns SQL for the time at which a job is announced again. An old job may be one that always fails, so its
 * announcements become rarer with age.
 */
export function nextAnnouncement(now: number): SQL {
  const grace = sql`min(${maxGraceMs}, max(${jobGraceMs}, (${now} - created_at) / 8))`;
  return sql`CAST(${now} + ${grace} AS INTEGER)`;
}

/** Returns a job of the project. Throws NotFound, also for a job of another type than `type`. */
export async function getJob(ctx: Context, id: Id, type?: JobType): Promise<JobRow> {
  const row = await ctx.db
    .select()
    .from(jobs)
    .where(and(inProject(ctx), eq(jobs.id, id), type === undefined ? undefined : eq(jobs.type, type)))
    .get();
  if (!row) throw new NotFound("job", id);
  return row;
}

/** Marks the job as running, so that the sweep ignores it while it makes progress. */
export async function startJob(
  platform: Platform,
  db: Db,
  { projectId, jobId }: { projectId: number; jobId: Id },
): Promise<void> {
  const until = nextAnnouncement(platform.realClock().getTime());
  const batch = openBatch(platform, db);
  batch.add(
    statement(
      sql`UPDATE jobs SET status = 'processing', next_announce_at = ${until}
        WHERE project_id = ${projectId} AND id = ${jobId} AND status IN ('queued', 'processing')`,
    ),
  );
  await batch.commit();
}

/** The columns of an unfinished job that a call may change. Columns left out keep their values. */
interface OpenJobChange {
  input?: SQL;
  /** The new state. A run that has read the old state can no longer write: see `guardState`. */
  state?: SQL;
  result?: SQL;
  /** Increases when a call requests the work again. */
  generation?: SQL;
}

/** Updates jobs that have not ended. */
export function updateOpenJobs(where: SQL, change: OpenJobChange): Statement {
  const { input = sql`input`, state = sql`state`, result = sql`result`, generation = sql`generation` } = change;
  return statement(
    sql`UPDATE jobs SET input = ${input}, state = ${state}, result = ${result}, generation = ${generation}
      WHERE ${where} AND status IN ('queued', 'processing')`,
  );
}

/** Changes the results of jobs that have ended. */
export function updateEndedJobs(where: SQL, result: SQL): Statement {
  return statement(sql`UPDATE jobs SET result = ${result} WHERE ${where} AND completed_at IS NOT NULL`);
}

/** Deletes jobs. A run that works on a deleted job stops at its next step. */
export function deleteJobs(where: SQL): Statement {
  return statement(sql`DELETE FROM jobs WHERE ${where}`);
}
