import { sql } from "drizzle-orm";
import { openBatch } from "../../db/batch";
import { deleteNotes, dropMoveTriggers, endMove } from "../../db/move-fence";
import { deleteRows, readPage } from "../../db/moving-rows";
import { movedTables } from "../../db/project-tables";
import { statement } from "../../db/statement";
import { guardState, type Step, updateEnded } from "../jobs/step";
import { forgetProjects } from "../projects/cache";
import { deleteNext } from "./clear";
import { requeueMove, saveState } from "./save-state";
import { type Move, sourceOf, targetOf } from "./state";

const forgottenAtOnce = 1_000;

/**
 * Takes back a move that has not switched: lowers the fence in the old database, deletes the copied rows, and ends the
 * job. The project never left its database.
 */
export async function turnBack(before: Move): Promise<Step> {
  const move =
    before.state.phase === "back" ? before : await saveState(before, { phase: "back", index: 0, after: null });
  const source = sourceOf(move);
  const target = targetOf(move);
  const freeing = openBatch(move.ctx, source.db);
  const triggers = await dropMoveTriggers(source.db, source.project.number);
  freeing.addAll([...endMove(source), ...triggers]);
  const forgotten = freeing.add(deleteNotes(source, forgottenAtOnce));
  await freeing.commit();
  // Deleting the triggers has used up many statements of this invocation, so a new run continues.
  if (triggers.length > 0) return requeueMove(move, 0);
  if (forgotten.count === forgottenAtOnce) return "goes on";
  // Without a shape, the move has not begun in the new database.
  const deletion = move.state.shape === "" ? null : await deleteNext(target, movedTables(move.to));
  if (deletion !== null) {
    await saveState(move, {}, deletion);
    return "goes on";
  }
  if (move.state.shape !== "" && (await deleteShared(move))) return "goes on";
  await saveState(move, { shape: "" }, [
    ...endMove(target),
    ...(await dropMoveTriggers(target.db, target.project.number)),
  ]);
  const clearing = openBatch(move.ctx, move.ctx.control);
  clearing.mayRepeat();
  clearing.add(
    statement(
      sql`UPDATE projects SET move = NULL WHERE number = ${move.ctx.project.number} AND move->>'jobId' = ${move.row.id}
        AND move->>'stage' IN ('copying', 'turning back')`,
    ),
  );
  await clearing.commit();
  forgetProjects();
  // The next step ends the job, because this one has changed its state.
  return "goes on";
}

/**
 * Deletes the next copied rows of a shared table, in which the new database also has rows of its own about the project.
 * Returns false when none is left.
 */
async function deleteShared(move: Move): Promise<boolean> {
  const { state, tables, to } = move;
  const own = movedTables(to);
  const shared = tables.filter((table) => !own.includes(table));
  const table = shared[state.index];
  if (!table) return false;
  const { images, next } = await readPage(sourceOf(move), table, state.after);
  const index = next === null ? state.index + 1 : state.index;
  await saveState(move, { index, after: next }, [deleteRows(move.ctx, table, [...images.keys()])]);
  return true;
}

/** Ends the job of a move that the project's row does not name, because the move was taken back or never began. */
export async function endNotMoved({ ctx, row, state }: Move): Promise<Step> {
  const reason = state.reason ?? (state.phase === "back" ? "The move was taken back." : "The move did not start.");
  const batch = openBatch(ctx);
  batch.add(guardState(ctx, row));
  batch.add(updateEnded(ctx, row, { status: "failed", reason }));
  await batch.commit();
  return "ended";
}
