import { sql } from "drizzle-orm";
import type { Id } from "../../../core/ids";
import { inProject } from "../../../db/scope";
import type { Statement } from "../../../db/statement";
import type { Context } from "../../../platform/context";
import { whyWithheld } from "../withhold";
import { type InsertedEmail, insertEmailsReturning } from "./insert-emails";

/**
 * A recipient of a call, with the ids of the rows to insert. All recipients of a call, up to 500, are one JSON
 * parameter of a statement.
 */
export interface Recipient {
  emailId: Id;
  /** The id that the contact gets if it is new. */
  contactId: Id;
  email: string;
  written: string;
  name: string | null;
}

/**
 * Inserts one email for each recipient, joined with the contacts that the same batch has just written. If the mail is
 * scheduled, the recipient's subscription is checked only when the mail is due, and the sweep announces the mail at
 * that time.
 */
export function insertEmailsTo(
  ctx: Context,
  {
    contentId,
    recipients,
    scheduledAt = null,
  }: { contentId: Id; recipients: Recipient[]; scheduledAt?: number | null },
): Statement<InsertedEmail> {
  const mail = { type: sql`content.type`, topicId: sql`content.topic_id` };
  const ids = recipients.map(({ emailId }) => emailId);
  return insertEmailsReturning(ctx, ids, {
    source: "TRANSACTIONAL",
    at: ctx.now,
    dueAt: scheduledAt ?? undefined,
    more: { toWritten: sql`nullif(written, to_email)`, toName: sql`name`, scheduledAt },
    from: sql`SELECT r.value->>'emailId' AS id, content.id AS content_id, c.id AS contact_id, c.email AS to_email,
        r.value->>'written' AS written, r.value->>'name' AS name, content.type,
        ${scheduledAt === null ? whyWithheld(ctx, mail) : sql`NULL`} AS reason
      FROM email_contents content
      CROSS JOIN json_each(${JSON.stringify(recipients)}) r
      CROSS JOIN contacts c ON ${inProject(ctx, "c")} AND c.email = r.value->>'email'
      WHERE ${inProject(ctx, "content")} AND content.id = ${contentId}`,
  });
}
