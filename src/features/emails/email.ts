import { and, asc, eq, getTableColumns, type SQL, sql } from "drizzle-orm";
import { NotFound } from "../../core/errors";
import { iso, isoOrNull } from "../../core/time";
import { inProject } from "../../db/scope";
import { type EmailRow, type EventRow, emailContents, emails, events } from "../../db/tables";
import type { Context } from "../../platform/context";

/** What the row itself does not hold: it is kept once for all recipients of a call. */
type Shared = Pick<typeof emailContents.$inferSelect, "fromEmail" | "fromName" | "replyTo"> & { givenSubject: string };

export type WholeEmail = EmailRow & Shared;

export function emailJson(row: WholeEmail) {
  return {
    id: row.id,
    contactId: row.contactId,
    to: row.toEmail,
    subject: row.subject ?? row.givenSubject,
    from: row.fromEmail,
    fromName: row.fromName,
    replyTo: row.replyTo,
    type: row.type,
    source: row.source,
    templateId: row.templateId,
    campaignId: row.campaignId,
    workflowExecutionId: row.workflowExecutionId,
    status: row.status,
    error: row.error,
    attempts: row.attempts,
    provider: row.provider,
    providerMessageId: row.providerMessageId,
    opens: row.opens,
    clicks: row.clicks,
    createdAt: iso(row.createdAt),
    sentAt: isoOrNull(row.sentAt),
    deliveredAt: isoOrNull(row.deliveredAt),
    openedAt: isoOrNull(row.openedAt),
    clickedAt: isoOrNull(row.clickedAt),
    bouncedAt: isoOrNull(row.bouncedAt),
    complainedAt: isoOrNull(row.complainedAt),
  };
}

export function emailEventJson(row: EventRow) {
  return { name: row.name, at: iso(row.createdAt), data: row.data };
}

const maxEvents = 200;

/** Whole emails, with what they share with the other recipients of their call. */
export function selectEmails(ctx: Context, condition: SQL | undefined) {
  return ctx.db
    .select({
      ...getTableColumns(emails),
      givenSubject: emailContents.subject,
      fromEmail: emailContents.fromEmail,
      fromName: emailContents.fromName,
      replyTo: emailContents.replyTo,
    })
    .from(emails)
    .innerJoin(emailContents, and(eq(emailContents.id, emails.contentId), inProject(emailContents, ctx)))
    .where(inProject(emails, ctx, condition));
}

/** An email record with what happened to it, oldest first. */
export async function getEmail(ctx: Context, id: string): Promise<{ email: WholeEmail; happened: EventRow[] }> {
  const [email, happened] = await Promise.all([
    selectEmails(ctx, eq(emails.id, id)).get(),
    ctx.db
      .select()
      .from(events)
      .where(inProject(events, ctx, eq(events.emailId, id)))
      .orderBy(asc(events.createdAt), sql`rowid`)
      .limit(maxEvents),
  ]);
  if (!email) throw new NotFound("email", id);
  return { email, happened };
}
