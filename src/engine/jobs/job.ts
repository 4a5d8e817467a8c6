import { eq, type SQL, sql } from "drizzle-orm";
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

/** What a job keeps of itself: JSON, in which ids stand as rows hold them. */
export type JobNotes = { [key: string]: JobNote };
type JobNote = JsonValue | Id | JobNote[] | JobNotes;

/** A job that nobody has worked on for this long is announced again; an old one, after an eighth of its age. Each run takes less. */
export const jobGraceMs = 5 * minuteMs;

const maxGraceMs = 6 * hourMs;

/** When a job is to be announced again, from its row: one that is old may be one that fails, and comes more and more seldom. */
export function nextAnnouncement(now: number): SQL {
  const grace = sql`min(${maxGraceMs}, max(${jobGraceMs}, (${now} - created_at) / 8))`;
  return sql`CAST(${now} + ${grace} AS INTEGER)`;
}

/** A job of the project; of one type, where that is asked for. */
export async function getJob(ctx: Context, id: Id, type?: JobType): Promise<JobRow> {
  const row = await ctx.db
    .select()
    .from(jobs)
    .where(inProject(jobs, ctx, eq(jobs.id, id), type === undefined ? undefined : eq(jobs.type, type)))
    .get();
  if (!row) throw new NotFound("job", id);
  return row;
}

/** Marks a run of a job: while runs follow each other, the sweep has no business with it. */
export async function startJob(
  platform: Platform,
  db: Db,
  { projectId, jobId }: { projectId: number; jobId: Id },
): Promise<void> {
  const until = nextAnnouncement(platform.realClock().getTime());
  const batch = openBatch({ ...platform, db });
  batch.add(
    statement(
      sql`UPDATE jobs SET status = 'processing', next_announce_at = ${until}
        WHERE project_id = ${projectId} AND id = ${jobId} AND status IN ('queued', 'processing')`,
    ),
  );
  await batch.commit();
}

/** What a call may change about a job that goes on. What is not said stays as it is. */
interface Change {
  input?: SQL;
  /** A run that is between two steps of the old one writes nothing more. */
  state?: SQL;
  result?: SQL;
  /** Moves when somebody wants the work done anew. */
  generation?: SQL;
}

/** The statement by which a call changes what jobs that go on are to do. */
export function updateOpenJobs(where: SQL, change: Change): Statement {
  const { input = sql`input`, state = sql`state`, result = sql`result`, generation = sql`generation` } = change;
  return statement(
    sql`UPDATE jobs SET input = ${input}, state = ${state}, result = ${result}, generation = ${generation}
      WHERE ${where} AND status IN ('queued', 'processing')`,
  );
}

/** The statement that forgets jobs. A run that is at work on one finds it gone. */
export function deleteJobs(where: SQL): Statement {
  return statement(sql`DELETE FROM jobs WHERE ${where}`);
}
