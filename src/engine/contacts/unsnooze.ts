import { sql } from "drizzle-orm";
import { NotFound } from "../../core/errors";
import { statement } from "../../db/commit";
import { readRow } from "../../db/rows";
import { type ContactRow, contacts } from "../../db/tables";
import type { Context } from "../../platform/context";
import { commitAndAnnounce } from "../events/announce";
import { endSnoozesOf } from "./subscription";

/** `DELETE /contacts/{id}/snooze`: back before its time. Nothing happens to one who is not snoozed. */
export async function unsnoozeContact(ctx: Context, id: string): Promise<ContactRow> {
  const isContact = sql`project_id = ${ctx.project.id} AND id = ${id}`;
  const rows = await commitAndAnnounce(ctx, [
    ...endSnoozesOf(ctx.db, { who: sql`${isContact} AND snoozed_until IS NOT NULL`, at: ctx.now.getTime() }),
    statement(ctx.db, sql`SELECT * FROM contacts WHERE ${isContact}`),
  ]);
  const after = rows.at(-1)?.[0];
  if (!after) throw new NotFound("contact", id);
  return readRow(contacts, after);
}
