import { passFence } from "../../db/move-fence";
import { readPage, replaceRows } from "../../db/moving-rows";
import { saveState } from "./save-state";
import { type Move, sourceOf, targetOf } from "./state";

/** Copies the next page of rows. Triggers note each row that changes meanwhile, and `replay` copies it again. */
export async function copy(move: Move): Promise<Move> {
  const { tables, state } = move;
  const table = tables[state.index];
  if (!table) return saveState(move, { phase: "replay", index: 0, after: null });
  const { images, next } = await readPage(sourceOf(move), table, state.after);
  const target = targetOf(move);
  const written = images.size === 0 ? [] : passFence(target, replaceRows(target, table, [...images.values()]));
  const index = next === null ? state.index + 1 : state.index;
  return saveState(move, { index, after: next, copied: state.copied + images.size }, written);
}
