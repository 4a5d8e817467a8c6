import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import type { JsonObject } from "../../core/json";
import { commit, GuardFailed, staleRow, statement, unchanged } from "../../db/commit";
import type { Context } from "../../platform/context";
import { letOthersIn } from "../../platform/let-others-in";
import type { Path } from "../audience/path";
import { commitAndAnnounce } from "../events/announce";
import type { JobRow } from "../jobs/job";
import { goOn, type Step, stillAt } from "../jobs/work";
import { beginWalk, type Look, lookAtNext, Walk } from "./walk";

export const Input = z.object({
  segmentId: z.string(),
  /** Somebody has the job's id, and may ask for it. */
  isFollowed: z.boolean(),
  /** Somebody wants to know of what changed when the walk had begun: behind it comes another. */
  isAskedAgain: z.boolean().optional(),
});
export type Input = z.infer<typeof Input>;

/** What must not change between what a step reads and what it writes is here, and not in the input. */
const State = z.object({
  /** Members come and go without events. */
  silent: z.boolean(),
  /** Null before the first step. */
  walk: Walk.nullable(),
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
  if (walk) await takeStep(ctx, row, state, walk, stride);
  else await commit(ctx.db, [stillAt(ctx, row), ...complete(ctx, row, state)]);
  return "goes on";
}

async function takeStep(ctx: Context, row: JobRow, state: State, walk: Walk, stride: Stride): Promise<void> {
  const look = await lookAtNext(ctx, walk, stride);
  const { batches, isWhole } = await stride.write(look, walk, state);
  const here = { state: row.state, progress: row.progress };
  const beyond = { state: stateJson({ ...state, walk: look.walk }), progress: look.progress };
  try {
    for (const [index, { result, changes }] of batches.entries()) {
      const isLast = isWhole && index === batches.length - 1;
      const next = isLast ? beyond : here;
      await commitAndAnnounce(ctx, [
        stillAt(ctx, row),
        unchanged(ctx.db, "segments", walk.segment),
        goOn(ctx, row, next.state, next.progress, { result }),
        ...changes,
        ...(isLast && look.isLast ? [stride.end(look.walk), ...complete(ctx, row, state)] : []),
      ]);
      if (!isLast) await letOthersIn();
    }
  } catch (error) {
    if (!(error instanceof GuardFailed && error.guard === staleRow)) throw error;
    await commit(ctx.db, [stillAt(ctx, row), beginAnew(ctx, row, state)]);
  }
}

/**
 * Ends the job, whose result stays as it is, unless it was asked again meanwhile. One that nobody follows leaves no row:
 * a segment has some 300 a day.
 */
function complete(ctx: Context, row: JobRow, state: State): D1PreparedStatement[] {
  const isMine = sql`project_id = ${ctx.project.id} AND id = ${row.id}`;
  return [
    statement(
      ctx.db,
      sql`UPDATE jobs SET status = 'completed', state = '{}', progress = 100, next_announce_at = NULL,
          completed_at = ${ctx.clock().getTime()}
        WHERE ${isMine} AND NOT coalesce(input->>'isAskedAgain', false)`,
    ),
    beginAnew(ctx, row, state),
    statement(ctx.db, sql`DELETE FROM jobs WHERE ${isMine} AND status = 'completed' AND NOT (input->>'isFollowed')`),
  ];
}

/** From the first contact on, if the job is not completed. */
function beginAnew(ctx: Context, { id }: JobRow, state: State): D1PreparedStatement {
  return statement(
    ctx.db,
    sql`UPDATE jobs SET state = ${JSON.stringify(stateJson({ ...state, walk: null }))}, progress = 0,
        input = json_remove(input, '$.isAskedAgain')
      WHERE project_id = ${ctx.project.id} AND id = ${id} AND status = 'processing'`,
  );
}
