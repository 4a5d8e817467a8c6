import { openBatch } from "../../db/batch";
import type { Db } from "../../db/client";
import {
  beginMove,
  createFences,
  createNotes,
  deleteNotes,
  dropMoveTriggers,
  type MoveOwner,
  passFence,
} from "../../db/move-fence";
import { deleteSome, findFilled } from "../../db/moving-rows";
import { movedTables, type ProjectTable } from "../../db/project-tables";
import type { Statement } from "../../db/statement";
import { saveState } from "./save-state";
import { type Move, sourceOf, targetOf } from "./state";

const deletedAtOnce = 1_000;

/**
 * Creates the triggers that refuse writes in the new database (the fence), and deletes what an earlier move left there.
 * The fence keeps sweeps away from the rows until the project lives there.
 */
export async function clear(move: Move): Promise<Move> {
  const target = targetOf(move);
  const own = movedTables(move.to);
  if (move.state.shape === "") {
    return saveState(move, { shape: shapeOf(move.tables) }, [
      ...beginMove(target, "fenced"),
      ...(await dropMoveTriggers(target.db, target.project.number)),
      ...createFences(target.project.number, own),
    ]);
  }
  const deletion = await deleteNext(target, own);
  return deletion === null ? saveState(move, { phase: "capture" }) : saveState(move, {}, deletion);
}

/** Returns the statements that delete the next rows although a fence protects them; null when no rows are left. */
export async function deleteNext(
  owner: MoveOwner & { db: Db },
  tables: readonly ProjectTable[],
): Promise<Statement[] | null> {
  const [table] = await findFilled(owner, tables);
  return table === undefined ? null : passFence(owner, [deleteSome(owner, table, deletedAtOnce)]);
}

/** Creates the triggers that note which rows of the old database change, before any row is copied. */
export async function capture(move: Move): Promise<Move> {
  const source = sourceOf(move);
  const own = movedTables(move.from);
  const batch = openBatch(move.ctx, source.db);
  batch.addAll([
    ...beginMove(source, "capturing"),
    ...(await dropMoveTriggers(source.db, source.project.number)),
    ...createFences(source.project.number, own),
    ...createNotes(source.project.number, own),
  ]);
  // Deletes the notes of an earlier move, whose triggers no longer exist.
  const forgotten = batch.add(deleteNotes(source, deletedAtOnce));
  await batch.commit();
  return forgotten.count === deletedAtOnce ? move : saveState(move, { phase: "copy", index: 0, after: null });
}

/** Returns a string that changes when a deploy changes the columns of the tables. */
export function shapeOf(tables: readonly ProjectTable[]): string {
  return tables.map(({ name, columns }) => `${name}:${columns.length}`).join(" ");
}
