import { type SQL, sql } from "drizzle-orm";
import { type Id, newId } from "../../core/ids";
import { minuteMs } from "../../core/time";
import { isAtHome } from "../../db/at-home";
import { openBatch } from "../../db/batch";
import type { Db } from "../../db/client";
import { asFlag, asId, asNumber, columns } from "../../db/rows";
import { type Statement, statement } from "../../db/statement";
import { type Context, clockOf, type Platform } from "../../platform/context";
import { exists, type IsDue } from "../../platform/due";
import { maxSweptRows, sweepDatabases } from "../../platform/sweep";
import { insertComputations } from "./computation";
import { countJobId, insertCounts } from "./count";
import { freshness, tickJitterMs } from "./freshness";
import type { ScanJobInserts, ScanJobStart } from "./scan-job";

/** One of the two tasks that are repeated for segments: computing the members, and counting them. */
interface RepeatedTask {
  type: "segments.compute" | "segments.count";
  /** The time after which a segment is due again. */
  everyMs: number;
  /** The column that contains the time at which a segment is due, and the index over this column. */
  column: SQL;
  index: SQL;
  /** Matches segments for which something may have changed since the task last ran. Other segments get no job. */
  mayHaveChanged: SQL;
  jobIdOf(segmentId: Id): Id;
  insertJobs(starts: ScanJobStart[], now: Date): ScanJobInserts;
}

const fresh = freshness(sql`segments`);

const computing: RepeatedTask = {
  type: "segments.compute",
  everyMs: 5 * minuteMs,
  column: sql`next_compute_at`,
  index: sql`ix_segments_uncomputed`,
  mayHaveChanged: sql`CASE WHEN moves_with_time THEN true ELSE computed_of IS NOT ${fresh} END`,
  jobIdOf: () => newId(),
  insertJobs: (starts, now) => insertComputations(starts, { now, silent: false, isFollowed: false }),
};

/** Counts segments that are not tracked. Tracked segments are counted by their computations. */
const counting: RepeatedTask = {
  type: "segments.count",
  everyMs: 15 * minuteMs,
  column: sql`next_count_at`,
  index: sql`ix_segments_uncounted`,
  mayHaveChanged: sql`CASE WHEN track_membership THEN false WHEN moves_with_time THEN true ELSE counted_of IS NOT ${fresh} END`,
  jobIdOf: countJobId,
  insertJobs: (starts, now) => insertCounts(starts, now, { isFollowed: false }),
};

const dueSegments = ({ column, index }: RepeatedTask, clock: number, now: number) =>
  sql`FROM segments INDEXED BY ${index}
    WHERE clock = ${clock} AND ${column} IS NOT NULL AND ${column} <= ${now + tickJitterMs}
      AND ${isAtHome()}`;

export const hasUncomputedSegments: IsDue = ({ now }) => exists(dueSegments(computing, 0, now.getTime()));
export const hasUncountedSegments: IsDue = ({ now }) => exists(dueSegments(counting, 0, now.getTime()));

/** Sweeps all projects for tracked segments whose members are due to be computed. */
export function computeDueSegments(platform: Platform): Promise<void> {
  return sweepDatabases(platform, (db) => startDue(platform, db, computing, 0));
}

/** Sweeps all projects for dynamic segments whose members are due to be counted. */
export function countDueSegments(platform: Platform): Promise<void> {
  return sweepDatabases(platform, (db) => startDue(platform, db, counting, 0));
}

/** Starts the due computations of a project with a test clock, by the time of that clock. */
export function computeDueOf(ctx: Context): Promise<number> {
  return startDue(ctx, ctx.db, computing, clockOf(ctx));
}

/** Starts the due counts of a project with a test clock, by the time of that clock. */
export function countDueOf(ctx: Context): Promise<number> {
  return startDue(ctx, ctx.db, counting, clockOf(ctx));
}

/**
 * Starts the jobs of due segments. After a crash between the two batches, the segments that the first one claimed wait
 * until they are due again.
 */
async function startDue(platform: Platform, db: Db, task: RepeatedTask, clock: number): Promise<number> {
  const claims = openBatch(platform, db);
  const due = claims.add(updateDue(task, clock, platform.now.getTime()));
  await claims.commit();
  const starts = due.all.flatMap(({ id, projectId, mayHaveChanged }) =>
    mayHaveChanged ? [{ jobId: task.jobIdOf(id), projectId, segmentId: id }] : [],
  );
  if (starts.length > 0) {
    const inserts = openBatch(platform, db);
    const { jobs, rest } = task.insertJobs(starts, platform.realClock());
    const started = inserts.add(jobs);
    inserts.addAll(rest);
    await inserts.commit();
    await platform.enqueue(
      started.all.map(({ id, projectId }) => ({ message: { type: task.type, projectId, jobId: id } })),
    );
  }
  return due.count;
}

interface DueSegment {
  id: Id;
  projectId: number;
  mayHaveChanged: boolean;
}

function updateDue(task: RepeatedTask, clock: number, now: number): Statement<DueSegment> {
  const { column, everyMs, mayHaveChanged } = task;
  return statement(
    sql`UPDATE segments SET ${column} = ${now + everyMs}
      WHERE (project_id, id) IN (SELECT project_id, id ${dueSegments(task, clock, now)}
        ORDER BY ${column} LIMIT ${maxSweptRows})
      RETURNING id, project_id, ${mayHaveChanged} AS may_have_changed`,
    columns({ id: asId, projectId: asNumber, mayHaveChanged: asFlag }),
  );
}
