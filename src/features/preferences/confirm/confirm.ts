import { type SQL, sql } from "drizzle-orm";
import { NotFound } from "../../../core/errors";
import { openBatch } from "../../../db/batch";
import { wholeRow } from "../../../db/rows";
import { inProject } from "../../../db/scope";
import { noRows, statement } from "../../../db/statement";
import { contacts } from "../../../db/tables";
import { upsertCounts } from "../../../engine/contacts/counts";
import { flips, updateSubscription } from "../../../engine/contacts/subscription";
import { insertEvents } from "../../../engine/events/record";
import { linkBase } from "../../../engine/mail/links";
import type { Recipient } from "../recipient";
import { type ConfirmState, findRequest, isSuppressed, selectRequest, stateOf } from "./confirmation";

export interface Confirmed {
  recipient: Recipient;
  state: ConfirmState;
}

/**
 * `POST /confirm/{token}`: subscribes the person who pressed the button. That also lifts the person's own opt-out. All
 * statements require an open request, and the last one closes it, so only one of two presses confirms. This works in a
 * disabled project too, as do the other pages for recipients. Returns null if the link belongs to no request.
 */
export async function confirm(recipient: Recipient): Promise<Confirmed | null> {
  const request = await findRequest(recipient);
  if (!request) return null;
  const state = stateOf(recipient, request);
  return state === "open" ? confirmOpen(recipient) : { recipient, state };
}

async function confirmOpen(recipient: Recipient): Promise<Confirmed> {
  const { ctx, contact } = recipient;
  const at = ctx.now.getTime();
  const page = `${linkBase(ctx) ?? ""}/confirm`;
  const isContact = sql`${inProject(ctx)} AND id = ${contact.id}`;
  const open = openRequest(recipient);
  const isOpen = sql`${isContact} AND id IN (${open})`;
  const data = JSON.stringify({ page, confirmedAt: ctx.now.toISOString() });
  const batch = openBatch(ctx);
  // A second run finds the request closed, and changes nothing.
  batch.mayRepeat();
  batch.add(
    insertEvents(ctx, {
      rows: sql`SELECT project_id, 'contact.confirmed' AS name, id AS contact_id, NULL AS email_id, ${data} AS data
        FROM contacts WHERE ${isOpen}`,
    }),
  );
  batch.addAll(updateSubscription(ctx, { contactId: open, subscribed: true, eventData: {}, at }));
  batch.add(
    statement(
      sql`UPDATE contacts SET confirmed_at = ${at}, source = iif(source = 'PUBLIC', 'TRACK', source),
          version = version + 1, updated_at = max(updated_at, ${at}) WHERE ${isOpen}`,
      noRows,
      { before: [upsertCounts(flips(isOpen, sql`subscribed`))] },
    ),
  );
  batch.add(
    statement(
      sql`UPDATE confirmations SET confirmed_at = ${at}, page = ${page}
        WHERE ${inProject(ctx)} AND contact_id = ${contact.id} AND id = ${recipient.subject.emailId}
          AND contact_id IN (${open})`,
    ),
  );
  const after = batch.add(statement(sql`SELECT * FROM contacts WHERE ${isContact}`, wholeRow(contacts)));
  const request = batch.add(selectRequest(recipient));
  await batch.commit();
  if (!after.first || !request.first) throw new NotFound("contact", contact.id);
  const then = { ...recipient, contact: after.first };
  return { recipient: then, state: stateOf(then, request.first) };
}

/** Selects the id of the contact while the request is open. */
function openRequest({ ctx, contact, subject }: Recipient): SQL {
  return sql`SELECT k.contact_id FROM confirmations k
    CROSS JOIN contacts c ON c.project_id = k.project_id AND c.id = k.contact_id AND c.email = k.email
    WHERE ${inProject(ctx, "k")} AND k.contact_id = ${contact.id} AND k.id = ${subject.emailId}
      AND k.confirmed_at IS NULL AND NOT ${isSuppressed}`;
}
