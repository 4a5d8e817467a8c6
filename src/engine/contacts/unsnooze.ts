import { sql } from "drizzle-orm";
import { NotFound } from "../../core/errors";
import type { Id } from "../../core/ids";
import { openBatch } from "../../db/batch";
import { wholeRow } from "../../db/rows";
import { inProject } from "../../db/scope";
import { statement } from "../../db/statement";
import { type ContactRow, contacts } from "../../db/tables";
import type { Context } from "../../platform/context";
import { updateSnoozed } from "./subscription";

/** `DELETE /contacts/{id}/snooze`: ends a snooze early. Does nothing to a contact that is not snoozed. */
export async function unsnoozeContact(ctx: Context, id: Id): Promise<ContactRow> {
  const isContact = sql`${inProject(ctx)} AND id = ${id}`;
  const ended = updateSnoozed(ctx, { who: sql`${isContact} AND snoozed_until IS NOT NULL`, at: ctx.now.getTime() });
  const batch = openBatch(ctx);
  // A second run finds no snooze.
  batch.mayRepeat();
  batch.addAll([ended.events, ended.contacts]);
  const found = batch.add(statement(sql`SELECT * FROM contacts WHERE ${isContact}`, wholeRow(contacts)));
  await batch.commit();
  if (!found.first) throw new NotFound("contact", id);
  return found.first;
}
