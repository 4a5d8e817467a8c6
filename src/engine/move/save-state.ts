import { sql } from "drizzle-orm";
import { secondMs } from "../../core/time";
import { openBatch, type Rows } from "../../db/batch";
import type { Statement } from "../../db/statement";
import { guardState, updateState } from "../jobs/step";
import { type Move, type MoveState, notesOfMove, progressOf } from "./state";

/** While the fence refuses writes, a run counts as dead when it makes no progress for this many milliseconds. */
const fencedLostMs = 10 * secondMs;

/**
 * Commits statements in the new database together with the move's next state, and returns the move with that state.
 * Nothing is written if another run has made progress meanwhile.
 */
export async function saveState(
  move: Move,
  next: Partial<MoveState>,
  statements: readonly Statement[] = [],
): Promise<Move> {
  return (await saveStateReading(move, next, statements, [])).move;
}

/** Like `saveState`, but also returns the rows of `reads`, which run last in the batch. */
export async function saveStateReading<Row>(
  move: Move,
  next: Partial<MoveState>,
  statements: readonly Statement[],
  reads: readonly Statement<Row>[],
): Promise<{ move: Move; rows: Rows<Row>[] }> {
  const { ctx, row, tables } = move;
  const state: MoveState = { ...move.state, ...next, steps: move.state.steps + 1 };
  const lostAt = state.phase === "fence" ? sql`${ctx.realClock().getTime() + fencedLostMs}` : sql`next_announce_at`;
  const batch = openBatch(ctx);
  batch.add(guardState(ctx, row));
  batch.addAll(statements);
  batch.add(updateState(ctx, row, notesOfMove(state), progressOf(state, tables), { lostAt }));
  const rows = reads.map((read) => batch.add(read));
  await batch.commit();
  return { move: { ...move, state, row: { ...row, state: state as unknown as Move["row"]["state"] } }, rows };
}

/** Lets another run continue after the given time. */
export async function requeueMove({ ctx, row }: Move, ms: number): Promise<"waits"> {
  const message = { type: "project.move" as const, projectId: ctx.project.number, jobId: row.id };
  await ctx.enqueue([{ message, ...(ms > 0 && { delaySeconds: Math.ceil(ms / secondMs) }) }]);
  return "waits";
}
