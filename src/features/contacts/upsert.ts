import { sql } from "drizzle-orm";
import type { ConfirmationResult } from "../../core/contacts/confirmation";
import { newIdAt } from "../../core/ids";
import { openBatch } from "../../db/batch";
import { newTail } from "../../db/ids";
import { wholeRow } from "../../db/rows";
import { inProject } from "../../db/scope";
import { statement } from "../../db/statement";
import { type ContactRow, contacts } from "../../db/tables";
import { readGivenData } from "../../engine/contacts/given-data";
import { subscriptionWithConfirm } from "../../engine/contacts/opt-out";
import { nameOfFlip } from "../../engine/contacts/subscription";
import { upsertContacts } from "../../engine/contacts/upsert";
import { eventsOf } from "../../engine/events/record";
import { addConfirmation } from "../../engine/mail/accept/confirmation";
import type { Context } from "../../platform/context";
import type { UpsertContact } from "./schema";

/**
 * Implements `POST /contacts`: creates or changes one contact in one round trip. If `confirm` is set, a contact that is
 * not subscribed gets an email with a link, and stays unsubscribed until the link is used.
 */
export async function upsertContact(
  ctx: Context,
  input: UpsertContact,
): Promise<{ contact: ContactRow; isNew: boolean; confirmation?: ConfirmationResult }> {
  const id = newIdAt(ctx.now.getTime());
  const tail = newTail();
  const batch = openBatch(ctx);
  const subscribed = input.confirm ? subscriptionWithConfirm(ctx, input.subscribed) : (input.subscribed ?? null);
  // A commit is recognised by the new contact, or by the event of a changed subscription. If it made neither, a second
  // run writes the same as the first.
  batch.recognise(sql`EXISTS (SELECT 1 FROM contacts WHERE ${inProject(ctx)} AND id = ${id})`);
  if (subscribed !== null) {
    batch.recognise(sql`EXISTS (${eventsOf(ctx, { email: input.email, name: nameOfFlip(subscribed), tail })})`);
  }
  batch.addAll(
    upsertContacts(ctx, {
      contacts: [{ id, email: input.email }],
      data: readGivenData(ctx, input.data),
      subscribed,
      subscribedByDefault: !input.confirm,
      source: "API",
      whenFull: "refuse",
      onlyIf: sql`true`,
      tail,
    }),
  );
  const confirmation = input.confirm ? addConfirmation(ctx, batch, input.email) : null;
  const after = batch.add(
    statement(sql`SELECT * FROM contacts WHERE ${inProject(ctx)} AND email = ${input.email}`, wholeRow(contacts)),
  );
  await batch.commit();
  return { contact: after.one, isNew: after.one.id === id, confirmation: await confirmation?.finish() };
}
