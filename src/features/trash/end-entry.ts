import { sql } from "drizzle-orm";
import { NotFound } from "../../core/errors";
import type { Id } from "../../core/ids";
import { keptInTrashMs, type TrashType } from "../../core/trash";
import { openBatch } from "../../db/batch";
import { asId, columns } from "../../db/rows";
import { statement } from "../../db/statement";
import { recordChange } from "../../engine/audit/record-change";
import { asTime, type Target } from "../../engine/audit/target";
import { isEntry, isKept } from "../../engine/trash/entry";
import type { Context } from "../../platform/context";

/**
 * `DELETE /trash/{type}/{id}`: ends the time in which a resource can be restored. A sweep then deletes the entry, and
 * the rows that stayed for it. Throws NotFound.
 */
export async function endEntry(ctx: Context, type: TrashType, id: Id): Promise<void> {
  const now = ctx.realClock().getTime();
  const batch = openBatch(ctx);
  recordChange(batch, ctx, auditedEntry(ctx, type, id));
  batch.recognise(sql`EXISTS (SELECT 1 FROM trash WHERE ${isEntry(ctx, { type, id })} AND purge_at = ${now})`);
  const ended = batch.add(
    statement(
      sql`UPDATE trash SET purge_at = ${now} WHERE ${isEntry(ctx, { type, id })} AND ${isKept(ctx)} RETURNING id`,
      columns({ id: asId }),
      { again: sql`SELECT ${id} AS id` },
    ),
  );
  await batch.commit();
  if (ended.count === 0) throw new NotFound("trash entry", id);
}

/** Describes an entry of the trash for the audit log. An entry that has ended has no values. */
function auditedEntry(ctx: Context, type: TrashType, id: Id): Target {
  return {
    project: ctx.project.number,
    type,
    id,
    row: sql`trash WHERE ${isEntry(ctx, { type, id })} AND ${isKept(ctx)}`,
    name: sql`name`,
    fields: { restorableUntil: asTime(sql`(deleted_at + ${keptInTrashMs})`) },
  };
}
