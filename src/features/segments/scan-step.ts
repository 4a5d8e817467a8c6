import { type SQL, sql } from "drizzle-orm";
import { openBatch } from "../../db/batch";
import { isUnchanged, Stale } from "../../db/fresh";
import { inProject } from "../../db/scope";
import { type Statement, statement } from "../../db/statement";
import type { JobRow } from "../../db/tables";
import type { ScanSource } from "../../engine/audience/scan-source";
import { deleteJobs } from "../../engine/jobs/job";
import { guardState, type Step, updateEnded, updateState } from "../../engine/jobs/step";
import type { Context } from "../../platform/context";
import { letOthersIn } from "../../platform/let-others-in";
import { firstState, ScanJobInput, ScanJobState, stateJson } from "./scan-job";
import { beginScan, type NextWindow, type StoredScan, scanNext } from "./stored-scan";

/** The work that a job does on the windows that it scans. */
interface ScanTask {
  onlyTracked?: boolean;
  /** The results of a window in addition to its counts; see `ScanOptions`. */
  want?: "ids";
  secondSource?: ScanSource;
  /**
   * Returns the writes of a step, one entry per batch. A step may end after any of its batches, so each batch must
   * leave consistent data. `isWhole` is false when the window needs more writes than one step may make: the next step
   * then scans the same window again.
   */
  decide(
    next: NextWindow,
    before: StoredScan,
    state: ScanJobState,
  ): Promise<{ changes: StepWrite[]; isWhole: boolean }>;
  /** Stores the result of the whole scan. */
  end(scan: StoredScan): Statement;
}

/** The writes of one batch. */
interface StepWrite {
  /** The result of the job, including this batch. It is evaluated before `statements` run. */
  result: SQL;
  statements: Statement[];
}

/** The state of a pass that has begun: its scan and its generation are known. */
type PassState = ScanJobState & { scan: StoredScan; generation: number };

/**
 * Runs one step of a job that scans contacts: reads one window and writes what the task decides. A batch fails when the
 * segment has changed since the scan began; the job then starts again, and corrects what it has written so far. Only
 * the last batch of a step moves the cursor of the scan. The job ends at once when the segment was deleted or is no
 * longer tracked. The next step determines whether there is more to do.
 */
export async function scanStep(ctx: Context, row: JobRow, task: ScanTask): Promise<Step> {
  const { segmentId } = ScanJobInput.parse(row.input);
  const state = ScanJobState.parse(row.state);
  const scan = state.scan ?? (await beginScan(ctx, segmentId, task));
  try {
    if (scan) await takeStep(ctx, row, { ...state, scan, generation: state.generation ?? row.generation }, task);
    else await giveUp(ctx, row, task);
  } catch (error) {
    if (!(error instanceof Stale)) throw error;
  }
  return "goes on";
}

/** Ends the job without a result. If the segment needs a new scan by now, the next step begins one. */
async function giveUp(ctx: Context, row: JobRow, { onlyTracked = false }: ScanTask): Promise<void> {
  const isWanted = sql`EXISTS (SELECT 1 FROM segments WHERE ${inProject(ctx)}
    AND id = ${ScanJobInput.parse(row.input).segmentId} AND condition IS NOT NULL AND (track_membership OR ${!onlyTracked}))`;
  const batch = openBatch(ctx);
  batch.add(guardState(ctx, row));
  batch.guard(sql`NOT ${isWanted}`, () => new Stale());
  batch.add(updateEnded(ctx, row, { status: "completed", state: {} }));
  batch.addAll(unlinkEnded(ctx, row));
  await batch.commit();
}

async function takeStep(ctx: Context, row: JobRow, pass: PassState, task: ScanTask): Promise<void> {
  const next = await scanNext(ctx, pass.scan, task);
  const { changes, isWhole } = await task.decide(next, pass.scan, pass);
  let current = row;
  for (const [index, { result, statements }] of changes.entries()) {
    const isLast = isWhole && index === changes.length - 1;
    const scan = isLast ? next.scan : pass.scan;
    const state = stateJson({ ...pass, scan, batches: (pass.batches ?? 0) + index + 1 });
    const batch = openBatch(ctx);
    batch.add(guardState(ctx, current));
    batch.guard(isUnchanged("segments", scan.segment), () => new Stale());
    batch.add(updateState(ctx, current, state, isLast ? next.progress : row.progress, { result }));
    batch.addAll(statements);
    if (isLast && next.isLast) batch.addAll([task.end(scan), ...endPass(ctx, row, pass)]);
    await commitOrRestart(ctx, current, pass, () => batch.commit());
    current = { ...row, state };
    if (!isLast) await letOthersIn();
  }
}

/**
 * Commits a batch. When the segment has changed, starts the pass again. A silent pass remains silent, and keeps its
 * generation: it does not serve calls that arrived since.
 */
async function commitOrRestart(ctx: Context, row: JobRow, pass: PassState, commit: () => Promise<void>): Promise<void> {
  try {
    await commit();
  } catch (error) {
    if (!(error instanceof Stale)) throw error;
    const { silent, generation, done } = pass;
    const first = firstState(silent ? { silent, generation, done } : { silent, done });
    const batch = openBatch(ctx);
    batch.addAll([guardState(ctx, row), updateState(ctx, row, first, 0)]);
    await batch.commit();
    throw error;
  }
}

/**
 * Ends the job and keeps its result. If a call has incremented the generation since this pass began, the job begins its
 * next pass instead. That pass records events, so changes made by a silent pass are removed from the result.
 */
function endPass(ctx: Context, row: JobRow, { generation, silent }: PassState): Statement[] {
  const withoutMoves = sql`json_set(result, '$.added', 0, '$.removed', 0)`;
  return [
    updateState(ctx, row, firstState({ silent: false, done: generation }), 0, {
      result: silent ? withoutMoves : sql`result`,
      onlyIf: sql`generation > ${generation}`,
    }),
    updateEnded(ctx, row, {
      status: "completed",
      state: {},
      result: sql`result`,
      onlyIf: sql`generation = ${generation}`,
    }),
    ...unlinkEnded(ctx, row),
  ];
}

/**
 * When the job has ended, unlinks it from its segment. A job that no client polls is deleted at once, because a segment
 * has about 300 such jobs a day.
 */
function unlinkEnded(ctx: Context, row: JobRow): Statement[] {
  const isEnded = sql`${inProject(ctx)} AND id = ${row.id} AND status = 'completed'`;
  return [
    statement(
      sql`UPDATE segments SET compute_job_id = NULL
        WHERE ${inProject(ctx)} AND id = ${ScanJobInput.parse(row.input).segmentId} AND compute_job_id = ${row.id}
          AND EXISTS (SELECT 1 FROM jobs WHERE ${isEnded})`,
    ),
    deleteJobs(sql`${isEnded} AND NOT (input->>'isFollowed')`),
  ];
}
