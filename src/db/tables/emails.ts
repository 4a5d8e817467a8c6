import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { AttachmentRow } from "../../core/mail/attachments";
import type { ContactSnapshot } from "../../core/mail/message";
import type { EmailSource, EmailStatus, EmailType } from "../../core/mail/status";
import { createdAt, id, jsonObject, projectId, time } from "../columns";

/** What one call asked to be sent, stored once however many recipients it had. */
export const emailContents = sqliteTable(
  "email_contents",
  {
    id: id(),
    projectId: projectId(),
    subject: text().notNull(),
    /** The HTML as it was given. Null when it lies in R2 under `bodyKey`; both are null when it is the template version's. */
    body: text(),
    /** The file may be the template's, which mails share: it goes with the content only if its kind is "content". */
    bodyKey: text(),
    fromEmail: text().notNull(),
    fromName: text(),
    replyTo: text(),
    headers: text({ mode: "json" }).$type<Record<string, string>>().notNull(),
    /** What the mail carries; the files lie in R2. */
    attachments: text({ mode: "json" }).$type<AttachmentRow[]>().notNull(),
    /** Body and files in bytes, for whoever decides how many to hold at once. */
    size: integer().notNull(),
    /** This call's own data, stored on the contact or not: it is laid over the contact when the mail is rendered. */
    ownData: jsonObject().notNull(),
    type: text().$type<EmailType>().notNull(),
    templateId: text(),
    templateVersionId: text(),
    /** Where the recipients' own pages are: what accepts a mail knows its address, what sends it does not. */
    linkBase: text(),
    /** Emails that were made of it and whose contact was not erased since: the last one takes the content along. */
    recipients: integer().notNull().default(1),
    createdAt: createdAt(),
  },
  (table) => [index("ix_email_contents_project").on(table.projectId, table.id)],
);
export type ContentRow = typeof emailContents.$inferSelect;

/** One row per email and recipient. It is the truth of the mail's way; queue messages only nudge it along. */
export const emails = sqliteTable(
  "emails",
  {
    id: id(),
    projectId: projectId(),
    contentId: text().notNull(),
    contactId: text().notNull(),
    toEmail: text().notNull(),
    /** The recipient as the caller wrote it, for the To header. */
    toWritten: text().notNull(),
    toName: text(),
    type: text().$type<EmailType>().notNull(),
    source: text().$type<EmailSource>().notNull(),
    templateId: text(),
    campaignId: text(),
    workflowExecutionId: text(),
    status: text().$type<EmailStatus>().notNull(),
    error: text(),
    /** The subject as rendered; null until the mail is handed over. */
    subject: text(),
    /** The contact as it was when the mail was first taken up: every later try renders the same. */
    contact: text({ mode: "json" }).$type<ContactSnapshot>(),
    attempts: integer().notNull().default(0),
    /** Who holds the row while it is SENDING, and until when. A claim alone makes nothing uncertain. */
    claim: text(),
    leaseUntil: time(),
    /** Set just before the provider is called: from here on the mail may be out. */
    handedAt: time(),
    /** When a call was made whose outcome nobody knows, and which the provider would recognise if it came again. */
    uncertainSince: time(),
    /** A QUEUED mail is not tried before this. */
    nextAttemptAt: time(),
    /** When a QUEUED mail's message counts as lost, and is sent again by the sweep. */
    nextAnnounceAt: time(),
    announcements: integer().notNull().default(0),
    /** How often a consumer claimed it and was never heard of again, before it handed anything over. */
    abandonments: integer().notNull().default(0),
    provider: text(),
    providerMessageId: text(),
    opens: integer().notNull().default(0),
    clicks: integer().notNull().default(0),
    createdAt: createdAt(),
    sentAt: time(),
    deliveredAt: time(),
    openedAt: time(),
    clickedAt: time(),
    bouncedAt: time(),
    complainedAt: time(),
  },
  (table) => [
    index("ix_emails_project").on(table.projectId, table.id),
    index("ix_emails_contact").on(table.projectId, table.contactId, table.id),
    index("ix_emails_queued").on(table.nextAnnounceAt).where(sql`status = 'QUEUED'`),
    index("ix_emails_sending").on(table.leaseUntil).where(sql`status = 'SENDING'`),
    // For reports that come back without our tag.
    index("ix_emails_provider_message").on(table.providerMessageId).where(sql`provider_message_id IS NOT NULL`),
    // Emails a template has sent are counted by this index alone.
    index("ix_emails_template")
      .on(table.projectId, table.templateId)
      .where(sql`template_id IS NOT NULL AND sent_at IS NOT NULL`),
  ],
);
export type EmailRow = typeof emails.$inferSelect;

/** What the embedded outbox provider took. The message itself lies in R2, under a key made of project and id. */
export const outboxMessages = sqliteTable(
  "outbox_messages",
  {
    id: id(),
    projectId: projectId(),
    emailId: text().notNull(),
    toEmail: text().notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    index("ix_outbox_messages_to").on(table.toEmail, table.id),
    index("ix_outbox_messages_project").on(table.projectId, table.id),
  ],
);

/** Emails accepted in a calendar month (UTC), without those that never went out. */
export const monthlyUsage = sqliteTable(
  "monthly_usage",
  {
    projectId: projectId(),
    month: text().notNull(),
    emails: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.projectId, table.month] })],
);
