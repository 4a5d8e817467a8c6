import { type SQL, sql } from "drizzle-orm";
import { type Id, newId } from "../../core/ids";
import { minuteMs } from "../../core/time";
import { openBatch } from "../../db/batch";
import type { Db } from "../../db/client";
import { asFlag, asId, asNumber, columns } from "../../db/rows";
import { type Statement, statement } from "../../db/statement";
import { type Context, clockOf, type Platform } from "../../platform/context";
import { maxSweptRows, sweepDatabases } from "../../platform/sweep";
import { insertComputations } from "./computation";
import { countJobId, insertCounts } from "./count";
import { freshness, movesWithTime, tickJitterMs } from "./freshness";
import type { Start, Starting } from "./scan-job";

/** One of the two things that are done to segments again and again: computing their members, and counting them. */
interface Task {
  type: "segments.compute" | "segments.count";
  /** A segment is due again after this. */
  everyMs: number;
  /** When it is due, and the index over that. */
  column: SQL;
  index: SQL;
  /** A segment to which nothing can have happened since the last time gets no job. */
  mayHaveChanged: SQL;
  jobIdOf(segmentId: Id): Id;
  insertJobs(starts: Start[], now: Date): Starting;
}

const fresh = freshness(sql`segments`);
const moves = movesWithTime(sql`condition`);

const computing: Task = {
  type: "segments.compute",
  everyMs: 5 * minuteMs,
  column: sql`next_compute_at`,
  index: sql`ix_segments_uncomputed`,
  mayHaveChanged: sql`CASE WHEN ${moves} THEN true ELSE computed_of IS NOT ${fresh} END`,
  jobIdOf: () => newId(),
  insertJobs: (starts, now) => insertComputations(starts, { now, silent: false, isFollowed: false }),
};

/** Those that are tracked are counted when they are computed. */
const counting: Task = {
  type: "segments.count",
  everyMs: 15 * minuteMs,
  column: sql`next_count_at`,
  index: sql`ix_segments_uncounted`,
  mayHaveChanged: sql`CASE WHEN track_membership THEN false WHEN ${moves} THEN true ELSE counted_of IS NOT ${fresh} END`,
  jobIdOf: countJobId,
  insertJobs: (starts, now) => insertCounts(starts, now, { isFollowed: false }),
};

/** The sweep that has the members of tracked segments computed, over all projects. */
export function computeDueSegments(platform: Platform): Promise<void> {
  return sweepDatabases(platform, (db) => startDue(platform, db, computing, 0));
}

/** The sweep that has the members of dynamic segments counted, over all projects. */
export function countDueSegments(platform: Platform): Promise<void> {
  return sweepDatabases(platform, (db) => startDue(platform, db, counting, 0));
}

/** The same two for a project with its own clock, at its time. */
export async function startDueOf(ctx: Context): Promise<void> {
  for (const task of [computing, counting]) await startDue(ctx, ctx.db, task, clockOf(ctx));
}

/** A sweep that dies between its two batches leaves those it took to the next time they are due. */
async function startDue(platform: Platform, db: Db, task: Task, clock: number): Promise<number> {
  const taking = openBatch({ ...platform, db });
  const due = taking.add(updateDue(task, clock, platform.now.getTime()));
  await taking.commit();
  const starts = due.all.flatMap(({ id, projectId, mayHaveChanged }) =>
    mayHaveChanged ? [{ jobId: task.jobIdOf(id), projectId, segmentId: id }] : [],
  );
  if (starts.length > 0) {
    const starting = openBatch({ ...platform, db });
    const { jobs, rest } = task.insertJobs(starts, platform.realClock());
    const started = starting.add(jobs);
    starting.addAll(rest);
    await starting.commit();
    await platform.enqueue(
      started.all.map(({ id, projectId }) => ({ message: { type: task.type, projectId, jobId: id } })),
    );
  }
  return due.count;
}

interface Due {
  id: Id;
  projectId: number;
  mayHaveChanged: boolean;
}

function updateDue({ column, index, everyMs, mayHaveChanged }: Task, clock: number, now: number): Statement<Due> {
  return statement(
    sql`UPDATE segments SET ${column} = ${now + everyMs}
      WHERE (project_id, id) IN (SELECT project_id, id FROM segments INDEXED BY ${index}
        WHERE clock = ${clock} AND ${column} IS NOT NULL AND ${column} <= ${now + tickJitterMs}
        ORDER BY ${column} LIMIT ${maxSweptRows})
      RETURNING id, project_id, ${mayHaveChanged} AS may_have_changed`,
    columns({ id: asId, projectId: asNumber, mayHaveChanged: asFlag }),
  );
}
