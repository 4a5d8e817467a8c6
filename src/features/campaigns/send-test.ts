import { sql } from "drizzle-orm";
import { type Id, newIdAt } from "../../core/ids";
import { openBatch } from "../../db/batch";
import { isInserted } from "../../db/own-rows";
import { inProject } from "../../db/scope";
import { statement } from "../../db/statement";
import { announceEmails, announceGraceMs } from "../../engine/mail/announce";
import { linkBase } from "../../engine/mail/links";
import { type Context, clockOf } from "../../platform/context";
import type { TestCampaign } from "./actions/schema";
import { getCampaign } from "./campaign";
import { contentOf, insertContent } from "./content";
import { namedVariant } from "./named-variant";
import { guardSenders } from "./save-statements";

/**
 * `POST /campaigns/{id}/test`: sends one email to one address, with the data of the contact that has the address, if
 * any. It is counted in no statistics, and creates no contact. Returns the id of the email record.
 */
export async function sendTest(ctx: Context, id: Id, { email, variant: name }: TestCampaign): Promise<Id> {
  const row = await getCampaign(ctx, id);
  const variant = namedVariant(row, name);
  const now = ctx.now.getTime();
  const [contentId, emailId, unusedContactId] = [newIdAt(now), newIdAt(now), newIdAt(now)];
  const content = contentOf(ctx, row, variant, { id: contentId, at: now, linkBase: linkBase(ctx) });
  const test = { ...content, subject: `[TEST] ${content.subject}`, campaignId: null, isTracked: false, recipients: 1 };
  const batch = openBatch(ctx);
  batch.recognise(isInserted("emails", ctx, emailId));
  batch.addAll(guardSenders(ctx, [test.fromEmail]));
  batch.addAll([
    insertContent(test),
    statement(
      sql`INSERT INTO emails (project_id, id, content_id, contact_id, to_email, source, priority, status, contact,
          clock, next_attempt_at, due_at, created_at)
        SELECT ${ctx.project.number}, ${emailId}, ${contentId}, coalesce(c.id, ${unusedContactId}), ${email}, 'TEST', 0, 'QUEUED',
          iif(c.id IS NULL, json_object('email', ${email}, 'subscribed', json('true'), 'data', json('{}')), NULL),
          ${clockOf(ctx)}, ${now}, ${now + announceGraceMs}, ${now}
        FROM (SELECT 1) LEFT JOIN contacts c ON ${inProject(ctx, "c")} AND c.email = ${email}`,
    ),
  ]);
  await batch.commit();
  await announceEmails(ctx, [{ id: emailId, priority: 0 }]);
  return emailId;
}
