import { openBatch } from "../../db/batch";
import { deleteNotes, passFence } from "../../db/move-fence";
import { deleteRows, type Note, readNotes, replaceRows, selectImages } from "../../db/moving-rows";
import type { ProjectTable } from "../../db/project-tables";
import type { Statement } from "../../db/statement";
import { saveStateReading } from "./save-state";
import { Different, type Move, sourceOf, targetOf } from "./state";

/** The maximum number of changed rows that one step copies. */
export const notesAtOnce = 500;

interface Changed {
  table: ProjectTable;
  /** The current rows, by their keys; null for a row that is gone. */
  rows: Map<string, string | null>;
}

/**
 * Copies the rows that triggers have noted as changed, and returns how many it found. A row that changes meanwhile gets
 * a new note with a higher number, and that note stays.
 */
export async function replay(move: Move): Promise<{ move: Move; found: number }> {
  const source = sourceOf(move);
  const notes = await readNotes(source, move.tables, notesAtOnce);
  if (notes.length === 0) return { move, found: 0 };
  const { changed, last } = await readChanged(move, notes);
  const target = targetOf(move);
  const written = passFence(target, [
    ...changed.flatMap((each) => deletions(move, each)),
    ...changed.flatMap((each) => writes(move, each)),
  ]);
  const reads = changed.map(({ table, rows }) => selectImages(target, table, [...rows.keys()]));
  const after = await saveStateReading(move, {}, written, reads);
  for (const [index, { table, rows }] of changed.entries()) {
    const written = [...rows.values()];
    const isSame = (after.rows[index]?.all ?? []).every(({ image }, row) => image === null || image === written[row]);
    // The image of a row is null if a row that was written later in the same batch displaced it. The displaced row has
    // a new note, so it will be copied again.
    if (!isSame) throw new Different(`A row of ${table.name} was not the same after it was copied.`, after.move);
  }
  const forgetting = openBatch(move.ctx, source.db);
  forgetting.mayRepeat();
  forgetting.add(deleteNotes(source, notesAtOnce, last));
  await forgetting.commit();
  return { move: after.move, found: notes.length };
}

/**
 * Reads the rows that the notes name, in one transaction. Stops at the first row that would exceed the size of a page,
 * and returns the number of the last note that is included.
 */
async function readChanged(move: Move, notes: readonly Note[]): Promise<{ changed: Changed[]; last: number }> {
  const source = sourceOf(move);
  const batch = openBatch(move.ctx, source.db);
  const asked = move.tables.flatMap((table) => {
    const own = notes.filter((note) => note.table === table.name);
    if (own.length === 0) return [];
    return [
      {
        table,
        own,
        found: batch.add(
          selectImages(
            source,
            table,
            own.map(({ key }) => key),
          ),
        ),
      },
    ];
  });
  await batch.commit();
  const missing = asked.flatMap(({ own, found }) => own[found.count]?.number ?? []);
  const last = Math.min(notes.at(-1)?.number ?? 0, ...missing.map((number) => number - 1));
  const changed = asked.map(({ table, own, found }) => ({
    table,
    rows: new Map(
      found.all.flatMap(({ image }, index) => {
        const note = own[index];
        return note === undefined || note.number > last ? [] : [[note.key, image]];
      }),
    ),
  }));
  return { changed: changed.filter(({ rows }) => rows.size > 0), last };
}

function deletions(move: Move, { table, rows }: Changed): Statement[] {
  const gone = [...rows].flatMap(([key, image]) => (image === null ? key : []));
  return gone.length === 0 ? [] : [deleteRows(move.ctx, table, gone)];
}

function writes(move: Move, { table, rows }: Changed): Statement[] {
  return replaceRows(
    move.ctx,
    table,
    [...rows.values()].filter((image) => image !== null),
  );
}
