import { type SQL, sql } from "drizzle-orm";
import type { Id } from "../../core/ids";
import { type Batch, openBatch } from "../../db/batch";
import { isUnchanged, Stale } from "../../db/fresh";
import { asId, columns } from "../../db/rows";
import { type Statement, statement } from "../../db/statement";
import type { JobRow } from "../../db/tables";
import type { ScanSource } from "../../engine/audience/scan-source";
import { jobGraceMs } from "../../engine/jobs/job";
import { announceJob } from "../../engine/jobs/queue-job";
import { guardState, type Step, updateState } from "../../engine/jobs/work";
import type { Context } from "../../platform/context";
import { letOthersIn } from "../../platform/let-others-in";
import { firstState, Input, State, stateJson } from "./scan-job";
import { beginScan, type Next, type StoredScan, scanNext } from "./stored-scan";

/** What a job makes of the windows that it scans. */
interface Task {
  onlyTracked?: boolean;
  /** What is asked of a window beside its figures; see `ScanOptions`. */
  want?: "ids";
  beside?: ScanSource;
  /**
   * What a step writes, in one batch or in several. Each batch leaves all in order if it is the last. When this is not
   * the whole, because one step is not to write more, the next step scans the same window again.
   */
  decide(next: Next, before: StoredScan, state: State): Promise<{ changes: Change[]; isWhole: boolean }>;
  /** Notes what the whole scan has found. */
  end(scan: StoredScan): Statement;
}

/** What one batch writes. */
interface Change {
  /** The job's result with the statements, before which it is counted. */
  result: SQL;
  statements: Statement[];
}

/** Where a step stands that has begun. */
type Begun = State & { scan: StoredScan };

/**
 * One step of a job that scans contacts: it reads one window and writes what is to be written. A batch fails when the
 * segment is not as it was when the scan began: then the job begins again, and puts right what it wrote so far. The scan
 * stands where it stood until the step's last batch. A segment that is gone, or tracked no more, ends the job where it
 * is. Whether there is another step is for the next one to find out.
 */
export async function scanStep(ctx: Context, row: JobRow, task: Task): Promise<Step> {
  const { segmentId } = Input.parse(row.input);
  const state = State.parse(row.state);
  const scan = state.scan ?? (await beginScan(ctx, segmentId, task));
  try {
    if (scan) await takeStep(ctx, row, { ...state, scan }, task);
    else await giveUp(ctx, row, task);
  } catch (error) {
    if (!(error instanceof Stale)) throw error;
  }
  return "goes on";
}

/** Ends a job with no result, unless there is something to scan for by now: the next step begins with that. */
async function giveUp(ctx: Context, row: JobRow, { onlyTracked = false }: Task): Promise<void> {
  const isWanted = sql`EXISTS (SELECT 1 FROM segments WHERE project_id = ${ctx.project.number}
    AND id = ${Input.parse(row.input).segmentId} AND condition IS NOT NULL AND (track_membership OR ${!onlyTracked}))`;
  const batch = openBatch(ctx);
  batch.add(guardState(ctx, row));
  batch.guard(sql`NOT ${isWanted}`, () => new Stale());
  batch.add(updateState(ctx, row, row.state, row.progress, { result: sql`NULL` }));
  await commitLast(ctx, row, batch);
}

async function takeStep(ctx: Context, row: JobRow, begun: Begun, task: Task): Promise<void> {
  const next = await scanNext(ctx, begun.scan, task);
  const { changes, isWhole } = await task.decide(next, begun.scan, begun);
  let here = row;
  for (const [index, { result, statements }] of changes.entries()) {
    const isLast = isWhole && index === changes.length - 1;
    const scan = isLast ? next.scan : begun.scan;
    const state = stateJson({ ...begun, scan, batches: (begun.batches ?? 0) + index + 1 });
    const batch = openBatch(ctx);
    batch.add(guardState(ctx, here));
    batch.guard(isUnchanged("segments", scan.segment), () => new Stale());
    batch.add(updateState(ctx, here, state, isLast ? next.progress : row.progress, { result }));
    batch.addAll(statements);
    await orBeginAnew(ctx, here, begun, async () => {
      if (!(isLast && next.isLast)) return batch.commit();
      batch.add(task.end(scan));
      return commitLast(ctx, row, batch);
    });
    here = { ...row, state };
    if (!isLast) await letOthersIn();
  }
}

async function orBeginAnew(ctx: Context, row: JobRow, { silent }: Begun, commit: () => Promise<void>): Promise<void> {
  try {
    await commit();
  } catch (error) {
    if (!(error instanceof Stale)) throw error;
    const batch = openBatch(ctx);
    batch.addAll([guardState(ctx, row), updateState(ctx, row, firstState({ silent }), 0)]);
    await batch.commit();
    throw error;
  }
}

/** Commits a batch that ends the job, and announces the job that waited for that. */
async function commitLast(ctx: Context, row: JobRow, batch: Batch): Promise<void> {
  const { waiting, rest } = updateCompleted(ctx, row);
  const next = batch.add(waiting);
  batch.addAll(rest);
  await batch.commit();
  if (next.first) await announceJob(ctx, row.type, next.first.id);
}

/**
 * Ends the job, whose result stays as it is, and puts the job that waits in its place. A job that nobody follows leaves
 * no row: a segment has some 300 a day.
 */
function updateCompleted(ctx: Context, row: JobRow): { waiting: Statement<{ id: Id }>; rest: Statement[] } {
  const now = ctx.clock().getTime();
  const isMine = sql`project_id = ${ctx.project.number} AND id = ${row.id}`;
  const waitingId = sql`(SELECT input->>'waitingJobId' FROM jobs WHERE ${isMine})`;
  return {
    waiting: statement(
      sql`UPDATE jobs SET next_announce_at = ${now + jobGraceMs} WHERE project_id = ${ctx.project.number} AND id = ${waitingId}
        RETURNING id`,
      columns({ id: asId }),
    ),
    rest: [
      statement(
        sql`UPDATE segments SET compute_job_id = ${waitingId}
          WHERE project_id = ${ctx.project.number} AND id = ${Input.parse(row.input).segmentId} AND compute_job_id = ${row.id}`,
      ),
      statement(
        sql`UPDATE jobs SET status = 'completed', state = '{}', progress = 100, next_announce_at = NULL,
            completed_at = ${now}
          WHERE ${isMine}`,
      ),
      statement(sql`DELETE FROM jobs WHERE ${isMine} AND NOT (input->>'isFollowed')`),
    ],
  };
}
