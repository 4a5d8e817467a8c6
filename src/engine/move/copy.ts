import { passFence } from "../../db/move-fence";
import { readPage, replaceRows } from "../../db/moving-rows";
import { goOn } from "./go-on";
import { type Move, sourceOf, targetOf } from "./state";

/** Copies the next page of rows. Rows that change meanwhile have a note, and are copied again. */
export async function copy(move: Move): Promise<Move> {
  const { tables, state } = move;
  const table = tables[state.place];
  if (!table) return goOn(move, { phase: "replay", place: 0, after: null });
  const { images, next } = await readPage(sourceOf(move), table, state.after);
  const target = targetOf(move);
  const written = images.size === 0 ? [] : passFence(target, replaceRows(target, table, [...images.values()]));
  const place = next === null ? state.place + 1 : state.place;
  return goOn(move, { place, after: next, copied: state.copied + images.size }, written);
}
