import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { Id } from "../../core/ids";
import type { AttachmentRow } from "../../core/mail/attachments";
import type { ContactSnapshot } from "../../core/mail/message";
import type { EmailSource, EmailStatus, EmailType } from "../../core/mail/status";
import { clock, createdAt, flag, id, jsonObject, projectId, rowKey, time } from "../columns";

/** What one call asked to be sent, stored once however many recipients it had. */
export const emailContents = sqliteTable(
  "email_contents",
  {
    projectId: projectId(),
    id: id().notNull(),
    subject: text().notNull(),
    previewText: text(),
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
    topicId: id(),
    /** Whether opens and clicks of it are tracked. */
    isTracked: flag().notNull().default(true),
    templateId: id(),
    templateVersionId: id(),
    campaignId: id(),
    variant: text(),
    /** Where the recipients' own pages are: what accepts a mail knows its address, what sends it does not. */
    linkBase: text(),
    /** Emails that were made of it and whose contact was not erased since: the last one takes the content along. */
    recipients: integer().notNull().default(1),
    createdAt: createdAt(),
  },
  (table) => [rowKey(table)],
);
export type ContentRow = typeof emailContents.$inferSelect;

/** One row per email and recipient. It is the truth of the mail's way; queue messages only nudge it along. */
export const emails = sqliteTable(
  "emails",
  {
    projectId: projectId(),
    id: id().notNull(),
    contentId: id().notNull(),
    contactId: id().notNull(),
    campaignId: id(),
    /** `execution:step` of the workflow that sends it: each step sends once. */
    effectId: text(),
    toEmail: text().notNull(),
    /** The recipient as the caller wrote it, for the To header. Null when that is `toEmail`. */
    toWritten: text(),
    toName: text(),
    source: text().$type<EmailSource>().notNull(),
    status: text().$type<EmailStatus>().notNull(),
    error: text(),
    /** The subject as rendered; null until the mail is handed over. */
    subject: text(),
    /** The contact as the mail was first rendered with: every later try renders the same. */
    contact: text({ mode: "json" }).$type<ContactSnapshot>(),
    attempts: integer().notNull().default(0),
    /** The round of provider calls that it was last handed over in. Whoever handed it over holds it; see engine/mail/deliver.ts. */
    round: text(),
    /** Set just before the provider is called: from here on the mail may be out. */
    handedAt: time(),
    /** When a call was made whose outcome nobody knows, and which the provider would recognise if it came again. */
    uncertainSince: time(),
    clock: clock(),
    scheduledAt: time(),
    /** A QUEUED mail is not tried before this. */
    nextAttemptAt: time(),
    /** When the sweep looks at a mail that is QUEUED or SENDING. */
    dueAt: time(),
    announcements: integer().notNull().default(0),
    /** How often a consumer took it up alone and was never heard of again, before it handed anything over. */
    abandonments: integer().notNull().default(0),
    provider: text(),
    providerMessageId: text(),
    opens: integer().notNull().default(0),
    clicks: integer().notNull().default(0),
    causes: text({ mode: "json" }).$type<string[]>(),
    createdAt: createdAt(),
    sentAt: time(),
    deliveredAt: time(),
    openedAt: time(),
    clickedAt: time(),
    bouncedAt: time(),
    complainedAt: time(),
  },
  (table) => [
    rowKey(table),
    // One row per campaign and contact, as nulls never collide; and the emails of a person.
    uniqueIndex("ux_emails_contact").on(table.projectId, table.contactId, table.campaignId),
    index("ix_emails_due").on(table.clock, table.dueAt).where(sql`due_at IS NOT NULL`),
    uniqueIndex("ux_emails_effect").on(table.projectId, table.effectId).where(sql`effect_id IS NOT NULL`),
  ],
);
export type EmailRow = typeof emails.$inferSelect;

/** A call to the provider that takes several mails, stored before it is made: its id is the provider's idempotency key. */
export const rounds = sqliteTable(
  "rounds",
  {
    projectId: projectId(),
    id: id().notNull(),
    provider: text().notNull(),
    /** The ids of its emails, in the order of the call. */
    emails: text({ mode: "json" }).$type<Id[]>().notNull(),
    handedAt: integer().notNull(),
  },
  (table) => [rowKey(table), index("ix_rounds_handed").on(table.handedAt)],
);

/** What the embedded outbox provider took. The message itself lies in R2, under a key made of project and id. */
export const outboxMessages = sqliteTable(
  "outbox_messages",
  {
    projectId: projectId(),
    id: id().notNull(),
    emailId: id().notNull(),
    toEmail: text().notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    rowKey(table),
    index("ix_outbox_messages_to").on(table.toEmail, table.id),
    index("ix_outbox_messages_id").on(table.id),
  ],
);
export type OutboxRow = typeof outboxMessages.$inferSelect;

/** Emails accepted in a calendar month (UTC) by template ('' for inline content), without those that never went out. */
export const monthlyUsage = sqliteTable(
  "monthly_usage",
  {
    projectId: projectId(),
    month: text().notNull(),
    templateId: id().notNull(),
    emails: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.projectId, table.month, table.templateId] })],
);
