import { eq, type SQL, sql } from "drizzle-orm";
import { NotFound } from "../../core/errors";
import type { StoredJobType } from "../../core/jobs";
import { hourMs, minuteMs } from "../../core/time";
import type { Db } from "../../db/client";
import { query } from "../../db/commit";
import { inProject } from "../../db/scope";
import { type JobRow, jobs } from "../../db/tables";
import type { Context, Platform } from "../../platform/context";

/** A job that nobody has worked on for this long is announced again; an old one, after an eighth of its age. Each run takes less. */
export const jobGraceMs = 5 * minuteMs;

export const longestGraceMs = 6 * hourMs;

/** When a job is to be announced again, from its row: one that is old may be one that fails, and comes more and more seldom. */
export function nextAnnouncement(now: number): SQL {
  const grace = sql`min(${longestGraceMs}, max(${jobGraceMs}, (${now} - created_at) / 8))`;
  return sql`CAST(${now} + ${grace} AS INTEGER)`;
}

/** A job of the project; of one type, where that is asked for. */
export async function getJob(ctx: Context, id: string, type?: StoredJobType): Promise<JobRow> {
  const row = await ctx.db
    .select()
    .from(jobs)
    .where(inProject(jobs, ctx, eq(jobs.id, id), type === undefined ? undefined : eq(jobs.type, type)))
    .get();
  if (!row) throw new NotFound("job", id);
  return row;
}

/** Marks a run of a job: while runs follow each other, the sweep has no business with it. */
export async function startJob(platform: Platform, db: Db, id: string): Promise<void> {
  const until = nextAnnouncement(platform.clock().getTime());
  await query(
    db,
    sql`UPDATE jobs SET status = 'processing', next_announce_at = ${until}
      WHERE id = ${id} AND status IN ('queued', 'processing')`,
  );
}
