import { sql } from "drizzle-orm";
import { type Id, newIdAt } from "../../core/ids";
import { openBatch } from "../../db/batch";
import { isInserted } from "../../db/own-rows";
import { inProject } from "../../db/scope";
import { insertContent } from "../../engine/mail/accept/insert-content";
import { insertEmails, priorityOfTest } from "../../engine/mail/accept/insert-emails";
import { requireCarrier } from "../../engine/mail/accept/require-carrier";
import { announceEmails } from "../../engine/mail/announce";
import { linkBase } from "../../engine/mail/links";
import type { Context } from "../../platform/context";
import type { TestCampaign } from "./actions/schema";
import { getCampaign } from "./campaign";
import { contentOf } from "./content";
import { namedVariant } from "./named-variant";
import { guardSenders } from "./save-statements";

/**
 * `POST /campaigns/{id}/test`: sends one email to one address. If a contact has the address, the email contains the
 * contact's data. The email counts in no statistics, and no contact is created. Returns the id of the email record.
 */
export async function sendTest(ctx: Context, id: Id, { email, variant: name }: TestCampaign): Promise<Id> {
  const row = await getCampaign(ctx, id);
  const variant = namedVariant(row, name);
  requireCarrier(ctx, row.type);
  const now = ctx.now.getTime();
  const [contentId, emailId, unusedContactId] = [newIdAt(now), newIdAt(now), newIdAt(now)];
  const content = contentOf(ctx, row, variant, { id: contentId, at: now, linkBase: linkBase(ctx) });
  const test = { ...content, subject: `[TEST] ${content.subject}`, campaignId: null, isTracked: false, recipients: 1 };
  const batch = openBatch(ctx);
  batch.recognise(isInserted("emails", ctx, emailId));
  batch.addAll(guardSenders(ctx, [test.fromEmail]));
  batch.addAll([
    insertContent(ctx, test),
    insertEmails(ctx, {
      source: "TEST",
      at: ctx.now,
      more: { contact: sql`contact` },
      from: sql`SELECT ${emailId} AS id, ${contentId} AS content_id, coalesce(c.id, ${unusedContactId}) AS contact_id,
          ${email} AS to_email, ${row.type} AS type, NULL AS reason,
          iif(c.id IS NULL, json_object('email', ${email}, 'subscribed', json('true'), 'data', json('{}')), NULL) AS contact
        FROM (SELECT 1) LEFT JOIN contacts c ON ${inProject(ctx, "c")} AND c.email = ${email}`,
    }),
  ]);
  await batch.commit();
  await announceEmails(ctx, [{ id: emailId, priority: priorityOfTest(ctx, row.type) }]);
  return emailId;
}
