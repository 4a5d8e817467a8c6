import { readNoted, readPage } from "../../db/moving-rows";
import { movedTables } from "../../db/project-tables";
import { saveState } from "./save-state";
import { Different, type Move, sourceOf, targetOf } from "./state";

/**
 * Compares the next page of rows in both databases. Rows are compared as a whole, not by hashes. Throws Different for a
 * row that differs although no trigger has noted that it changed. A note is deleted only after the move has copied the
 * row, so a difference without a note is an error.
 */
export async function check(move: Move): Promise<Move> {
  const { tables, state, to } = move;
  const table = tables[state.index];
  if (!table) return saveState(move, { phase: "replay", index: 0, after: null, isChecked: true });
  const copied = await readPage(targetOf(move), table, state.after);
  const page = await readPage(sourceOf(move), table, state.after, copied.next);
  // The old database may have more rows in this range. Its page then ends before the copied page.
  const last = page.next ?? copied.next;
  const isCut = page.next !== null;
  const theirs = isCut ? (await readPage(targetOf(move), table, state.after, page.next)).images : copied.images;
  // The audit log in the control database also has entries about keys and people, which do not move. So in a shared
  // table, rows that only the new database has are no difference.
  const isShared = !movedTables(to).includes(table);
  const keys = new Set([...page.images.keys(), ...(isShared ? [] : theirs.keys())]);
  const different = [...keys].filter((key) => page.images.get(key) !== theirs.get(key));
  const noted = different.length === 0 ? new Set<string>() : await readNoted(sourceOf(move), table, different);
  const unexplained = different.filter((key) => !noted.has(key));
  if (unexplained.length > 0) {
    throw new Different(`${unexplained.length} rows of ${table.name} were not the same in both databases.`, move);
  }
  const compared = state.compared + page.images.size;
  return saveState(move, { index: last === null ? state.index + 1 : state.index, after: last, compared });
}
