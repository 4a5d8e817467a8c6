import { type SQL, sql } from "drizzle-orm";
import { openBatch } from "../../db/batch";
import { isUnchanged, Stale } from "../../db/fresh";
import { type Statement, statement } from "../../db/statement";
import type { JobRow } from "../../db/tables";
import type { ScanSource } from "../../engine/audience/scan-source";
import { deleteJobs } from "../../engine/jobs/job";
import { guardState, type Step, updateEnded, updateState } from "../../engine/jobs/step";
import type { Context } from "../../platform/context";
import { letOthersIn } from "../../platform/let-others-in";
import { firstState, Input, State, stateJson } from "./scan-job";
import { beginScan, type Next, type StoredScan, scanNext } from "./stored-scan";

/** What a job makes of the windows that it scans. */
interface Task {
  onlyTracked?: boolean;
  /** What is asked of a window secondSource its figures; see `ScanOptions`. */
  want?: "ids";
  secondSource?: ScanSource;
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
type Begun = State & { scan: StoredScan; generation: number };

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
    if (scan) await takeStep(ctx, row, { ...state, scan, generation: state.generation ?? row.generation }, task);
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
  batch.add(updateEnded(ctx, row, { status: "completed", state: {} }));
  batch.addAll(freeEnded(ctx, row));
  await batch.commit();
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
    if (isLast && next.isLast) batch.addAll([task.end(scan), ...endPass(ctx, row, begun)]);
    await orBeginAnew(ctx, here, begun, () => batch.commit());
    here = { ...row, state };
    if (!isLast) await letOthersIn();
  }
}

/** A silent pass stays silent, and what was silent from the start serves nobody who came since. */
async function orBeginAnew(ctx: Context, row: JobRow, begun: Begun, commit: () => Promise<void>): Promise<void> {
  try {
    await commit();
  } catch (error) {
    if (!(error instanceof Stale)) throw error;
    const { silent, generation, done } = begun;
    const first = firstState(silent ? { silent, generation, done } : { silent, done });
    const batch = openBatch(ctx);
    batch.addAll([guardState(ctx, row), updateState(ctx, row, first, 0)]);
    await batch.commit();
    throw error;
  }
}

/**
 * Ends the job, whose result stays as it is; or begins its next pass, if somebody has moved its generation since this one
 * began. That one is told, so what came silently does not count in its result.
 */
function endPass(ctx: Context, row: JobRow, { generation, silent }: Begun): Statement[] {
  const told = sql`json_set(result, '$.added', 0, '$.removed', 0)`;
  return [
    updateState(ctx, row, firstState({ silent: false, done: generation }), 0, {
      result: silent ? told : sql`result`,
      onlyIf: sql`generation > ${generation}`,
    }),
    updateEnded(ctx, row, {
      status: "completed",
      state: {},
      result: sql`result`,
      onlyIf: sql`generation = ${generation}`,
    }),
    ...freeEnded(ctx, row),
  ];
}

/** If the job has ended, its segment has none. One that nobody follows leaves no row: a segment has some 300 a day. */
function freeEnded(ctx: Context, row: JobRow): Statement[] {
  const isEnded = sql`project_id = ${ctx.project.number} AND id = ${row.id} AND status = 'completed'`;
  return [
    statement(
      sql`UPDATE segments SET compute_job_id = NULL
        WHERE project_id = ${ctx.project.number} AND id = ${Input.parse(row.input).segmentId} AND compute_job_id = ${row.id}
          AND EXISTS (SELECT 1 FROM jobs WHERE ${isEnded})`,
    ),
    deleteJobs(sql`${isEnded} AND NOT (input->>'isFollowed')`),
  ];
}
