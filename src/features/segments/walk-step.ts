import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import type { JsonObject } from "../../core/json";
import { commit, GuardFailed, guard, staleRow, statement, unchanged } from "../../db/commit";
import type { JobRow } from "../../db/tables";
import type { Path } from "../../engine/audience/scan-source";
import { commitAndAnnounce } from "../../engine/events/announce";
import { jobGraceMs } from "../../engine/jobs/job";
import { announceJob } from "../../engine/jobs/queue-job";
import { goOn, type Step, stillAt } from "../../engine/jobs/work";
import type { Context } from "../../platform/context";
import { letOthersIn } from "../../platform/let-others-in";
import { beginWalk, type Look, lookAtNext, Walk } from "./walk";

export const Input = z.object({
  segmentId: z.string(),
  /** Somebody has the job's id, and may ask for it. */
  isFollowed: z.boolean(),
  /** The job behind this one, which is there and waits; see join-computation.ts. */
  nextJobId: z.string().optional(),
});
export type Input = z.infer<typeof Input>;

/** What must not change between what a step reads and what it writes is here, and not in the input. */
const State = z.object({
  /** Members come and go without events. */
  silent: z.boolean(),
  /** Null before the first step. One that another version of this program wrote begins again. */
  walk: Walk.nullable().catch(null),
  /** How many batches were written. It moves with each, so that two runs never write from what only one has seen. */
  batches: z.number().optional(),
});
type State = z.infer<typeof State>;

/** As it rests in a job: whatever is in it came out of JSON, or goes into it as it is. */
export function stateJson(state: State): JsonObject {
  return state as unknown as JsonObject;
}

interface Stride {
  onlyTracked?: boolean;
  /** What else the look is to find out; see walk.ts. */
  figures?: SQL;
  beside?: Path;
  /**
   * What a step writes, in one batch or in several, each of which leaves all in order if it is the last. What is not
   * `whole` is more than one step is to write: the next one looks at the same contacts.
   */
  write(look: Look, before: Walk, state: State): Promise<{ batches: Batch[]; isWhole: boolean }>;
  /** The statement that notes what a walk has come to. */
  end(walk: Walk): D1PreparedStatement;
}

interface Batch {
  /** How the job's result looks with the changes, before which it is counted. */
  result: SQL;
  changes: D1PreparedStatement[];
}

/**
 * One step of a job that walks through the contacts: one look, and what is to be written. A batch fails when the segment
 * is not as it was at the walk's beginning: then the job begins again, and what it wrote so far is set right on the way.
 * The walk stands where it stood until the last batch. A segment that is gone, or tracked no more, ends the job where it
 * is. Whether there is another step is found out by the next.
 */
export async function walkStep(ctx: Context, row: JobRow, stride: Stride): Promise<Step> {
  const { segmentId } = Input.parse(row.input);
  const state = State.parse(row.state);
  const walk = state.walk ?? (await beginWalk(ctx, segmentId, stride));
  try {
    if (walk) await takeStep(ctx, row, { ...state, walk }, stride);
    else await giveUp(ctx, row, stride);
  } catch (error) {
    if (!(error instanceof GuardFailed && error.guard === staleRow)) throw error;
  }
  return "goes on";
}

/** Ends a job with no result, unless there is something to walk for by now: the next step begins with that. */
async function giveUp(ctx: Context, row: JobRow, { onlyTracked = false }: Stride): Promise<void> {
  const isWanted = sql`EXISTS (SELECT 1 FROM segments WHERE project_id = ${ctx.project.id}
    AND id = ${Input.parse(row.input).segmentId} AND condition IS NOT NULL AND (track_membership OR ${!onlyTracked}))`;
  const results = await commit(ctx.db, [
    stillAt(ctx, row),
    guard(ctx.db, staleRow, sql`NOT ${isWanted}`),
    goOn(ctx, row, row.state, row.progress, { result: sql`NULL` }),
    ...complete(ctx, row),
  ]);
  await announceNext(ctx, row, results);
}

async function takeStep(ctx: Context, row: JobRow, state: State & { walk: Walk }, stride: Stride): Promise<void> {
  const look = await lookAtNext(ctx, state.walk, stride);
  const { batches, isWhole } = await stride.write(look, state.walk, state);
  let here = row;
  for (const [index, { result, changes }] of batches.entries()) {
    const isLast = isWhole && index === batches.length - 1;
    const next = { ...state, walk: isLast ? look.walk : state.walk, batches: (state.batches ?? 0) + index + 1 };
    const statements = [
      goOn(ctx, here, stateJson(next), isLast ? look.progress : row.progress, { result }),
      ...changes,
      ...(isLast && look.isLast ? [stride.end(look.walk), ...complete(ctx, row)] : []),
    ];
    await writeOrBeginAnew(ctx, here, state, statements);
    here = { ...row, state: stateJson(next) };
    if (!isLast) await letOthersIn();
  }
}

async function writeOrBeginAnew(
  ctx: Context,
  row: JobRow,
  { silent, walk }: State & { walk: Walk },
  statements: D1PreparedStatement[],
): Promise<void> {
  try {
    const guards = [stillAt(ctx, row), unchanged(ctx.db, "segments", walk.segment)];
    await announceNext(ctx, row, await commitAndAnnounce(ctx, [...guards, ...statements]));
  } catch (error) {
    if (!(error instanceof GuardFailed && error.guard === staleRow)) throw error;
    await commit(ctx.db, [stillAt(ctx, row), goOn(ctx, row, stateJson({ silent, walk: null }), 0)]);
    throw error;
  }
}

/**
 * Ends the job, whose result stays as it is, and makes way for the one behind it, whose id comes back. A job that nobody
 * follows leaves no row: a segment has some 300 a day.
 */
function complete(ctx: Context, row: JobRow): D1PreparedStatement[] {
  const now = ctx.clock().getTime();
  const isMine = sql`project_id = ${ctx.project.id} AND id = ${row.id}`;
  const next = sql`(SELECT input->>'nextJobId' FROM jobs WHERE ${isMine})`;
  return [
    statement(
      ctx.db,
      sql`UPDATE segments SET compute_job_id = ${next}
        WHERE project_id = ${ctx.project.id} AND id = ${Input.parse(row.input).segmentId} AND compute_job_id = ${row.id}`,
    ),
    statement(
      ctx.db,
      sql`UPDATE jobs SET next_announce_at = ${now + jobGraceMs} WHERE project_id = ${ctx.project.id} AND id = ${next}
        RETURNING id AS ${sql.raw(nextJobColumn)}`,
    ),
    statement(
      ctx.db,
      sql`UPDATE jobs SET status = 'completed', state = '{}', progress = 100, next_announce_at = NULL, completed_at = ${now}
        WHERE ${isMine}`,
    ),
    statement(ctx.db, sql`DELETE FROM jobs WHERE ${isMine} AND NOT (input->>'isFollowed')`),
  ];
}

const nextJobColumn = "next_job_id";

async function announceNext(ctx: Context, { type }: JobRow, results: Record<string, unknown>[][]): Promise<void> {
  const next = results.flat().find((found) => typeof found[nextJobColumn] === "string");
  if (next) await announceJob(ctx, type, String(next[nextJobColumn]));
}
