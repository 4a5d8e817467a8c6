import { sql } from "drizzle-orm";
import { z } from "zod";
import { publicId, textOf } from "../../core/ids";
import { cursorPage, type Page, readCursor } from "../../core/page";
import { iso } from "../../core/time";
import { keptInTrashMs, type TrashType } from "../../core/trash";
import { openBatch } from "../../db/batch";
import { maxRowsPerStatement } from "../../db/limits";
import { asId, asNumber, asOneOf, asText, columns } from "../../db/rows";
import { inProject } from "../../db/scope";
import { statement } from "../../db/statement";
import { isKept } from "../../engine/trash/entry";
import type { Context } from "../../platform/context";
import type { TrashEntry } from "./schema";

const readEntry = columns({ type: asOneOf<TrashType>(), id: asId, name: asText, deletedAt: asNumber });

/** The position of an entry: the time of the deletion, and the id. */
const ByDeletion = z.tuple([z.number(), z.string()]);

/**
 * Implements `GET /trash`: lists what can be restored, newest deletion first. Leaves out the contents of the entries,
 * which can be large. Throws BadRequest for a cursor of another list.
 */
export async function listTrash(
  ctx: Context,
  { cursor, limit, type }: { cursor?: string; limit: number; type?: TrashType },
): Promise<Page<TrashEntry>> {
  const filters = { type };
  const after = readCursor(cursor, ByDeletion, filters);
  const [index, isOfType] =
    type === undefined ? [sql`ix_trash_list`, sql``] : [sql`ix_trash_type`, sql` AND type = ${type}`];
  const listed = sql`FROM trash INDEXED BY ${index} WHERE ${inProject(ctx)}${isOfType} AND ${isKept(ctx)}`;
  const isAfter = after === null ? sql`` : sql` AND (deleted_at, id) < (${after[0]}, ${after[1]})`;
  const batch = openBatch(ctx);
  const found = batch.add(
    statement(
      sql`SELECT type, id, name, deleted_at ${listed}${isAfter} ORDER BY deleted_at DESC, id DESC LIMIT ${limit + 1}`,
      readEntry,
    ),
  );
  const count = sql`SELECT count(*) AS total FROM (SELECT 1 ${listed} LIMIT ${maxRowsPerStatement})`;
  const counted = batch.add(statement(count, columns({ total: asNumber })));
  await batch.commit();
  const { total } = counted.one;
  const shown = found.all.slice(0, limit);
  const last = found.count > limit ? shown.at(-1) : undefined;
  return cursorPage(
    shown.map(({ id, deletedAt, ...entry }) => ({
      ...{ ...entry, id: publicId(id) },
      ...{ deletedAt: iso(deletedAt), restorableUntil: iso(deletedAt + keptInTrashMs) },
    })),
    {
      next: last ? [last.deletedAt, textOf(last.id)] : null,
      filters,
      total,
      countedAt: total === maxRowsPerStatement ? ctx.now : null,
    },
  );
}
