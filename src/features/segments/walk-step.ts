import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import type { JsonObject } from "../../core/json";
import { commit, GuardFailed, staleRow, statement, unchanged } from "../../db/commit";
import type { Context } from "../../platform/context";
import { commitAndAnnounce } from "../events/announce";
import type { JobRow } from "../jobs/job";
import { goOn, type Step, stillAt } from "../jobs/work";
import { beginWalk, type Look, lookAtNext, Walk } from "./walk";

export const Input = z.object({
  segmentId: z.string(),
  /** Somebody has the job's id, and may ask for it. */
  isFollowed: z.boolean(),
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
  contacts: number;
  onlyTracked?: boolean;
  column?: SQL;
  figures?: SQL;
  /** What a step writes, and how the job's result looks with it: counted, if by the database, before the change. */
  write(look: Look, state: State): { result: SQL; changes: D1PreparedStatement[]; last: D1PreparedStatement };
}

/**
 * One step of a job that walks through the contacts: one look, and one batch. The batch fails when the segment is not as
 * it was at the walk's beginning: then the job begins again, and what it wrote so far is set right on the way. A segment
 * that is gone, or tracked no more, ends the job where it is.
 */
export async function walkStep(ctx: Context, row: JobRow, stride: Stride): Promise<Step> {
  const { segmentId } = Input.parse(row.input);
  const state = State.parse(row.state);
  const walk = state.walk ?? (await beginWalk(ctx, segmentId, stride))?.walk;
  if (!walk) {
    await commit(ctx.db, [stillAt(ctx, row), ...end(ctx, row)]);
    return "ended";
  }
  const look = await lookAtNext(ctx, walk, stride);
  const { result, changes, last } = stride.write(look, state);
  try {
    await commitAndAnnounce(ctx, [
      stillAt(ctx, row),
      unchanged(ctx.db, "segments", walk.segment),
      goOn(ctx, row, stateJson({ ...state, walk: look.walk }), look.progress, { result }),
      ...changes,
      ...(look.isLast ? [last, ...end(ctx, row)] : []),
    ]);
  } catch (error) {
    if (!(error instanceof GuardFailed && error.guard === staleRow)) throw error;
    await commit(ctx.db, [stillAt(ctx, row), goOn(ctx, row, stateJson({ ...state, walk: null }), 0)]);
    return "goes on";
  }
  return look.isLast ? "ended" : "goes on";
}

/** The result stays as it is. A job that nobody follows leaves no row: a segment has some 300 a day. */
function end(ctx: Context, { id }: JobRow): D1PreparedStatement[] {
  const isMine = sql`project_id = ${ctx.project.id} AND id = ${id}`;
  return [
    statement(
      ctx.db,
      sql`UPDATE jobs SET status = 'completed', state = '{}', progress = 100, next_announce_at = NULL,
          completed_at = ${ctx.clock().getTime()} WHERE ${isMine}`,
    ),
    statement(ctx.db, sql`DELETE FROM jobs WHERE ${isMine} AND NOT (input->>'isFollowed')`),
  ];
}
