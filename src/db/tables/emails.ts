import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { Id } from "../../core/ids";
import type { AttachmentRow } from "../../core/mail/attachments";
import type { ContactSnapshot } from "../../core/mail/message";
import type { Priority } from "../../core/mail/priority";
import type { EmailSource, EmailStatus, EmailType, Settler } from "../../core/mail/status";
import { clock, createdAt, flag, id, jsonObject, projectId, rowKey, time } from "../columns";

/** The content of one call, stored once for all its recipients. */
export const emailContents = sqliteTable(
  "email_contents",
  {
    projectId: projectId(),
    id: id().notNull(),
    subject: text().notNull(),
    previewText: text(),
    /**
     * The HTML as it was given. Null when it is stored in R2 under `bodyKey`; both are null when the template version
     * has it.
     */
    body: text(),
    /**
     * The file may be the template's, which mails share. It is deleted with the content only if its kind is "content".
     */
    bodyKey: text(),
    fromEmail: text().notNull(),
    fromName: text(),
    replyTo: text(),
    headers: text({ mode: "json" }).$type<Record<string, string>>().notNull(),
    /** The attachments; their files are in R2. */
    attachments: text({ mode: "json" }).$type<AttachmentRow[]>().notNull(),
    /** The size of body and files in bytes, to decide how many mails to hold at once. */
    size: integer().notNull(),
    /**
     * This call's own data, stored on the contact or not. It overrides the contact's data when the mail is rendered.
     */
    ownData: jsonObject().notNull(),
    type: text().$type<EmailType>().notNull(),
    topicId: id(),
    /** Whether its opens and clicks are tracked. */
    isTracked: flag().notNull().default(true),
    /** A mail of double opt-in: it alone has `confirmUrl`. */
    isConfirmation: flag().notNull().default(false),
    templateId: id(),
    /** Null when the content is not kept any longer. */
    templateVersionId: id(),
    campaignId: id(),
    variant: text(),
    /**
     * The base URL of the recipients' own pages. The code that accepts a mail knows it; the code that sends it does
     * not.
     */
    linkBase: text(),
    /**
     * Emails with this content whose contact is not erased and whose content is still kept for them. The content goes
     * with the last one.
     */
    recipients: integer().notNull().default(1),
    createdAt: createdAt(),
  },
  (table) => [
    rowKey(table),
    // The contents that still name a version of a template, or its file: then the version stays.
    index("ix_email_contents_version")
      .on(table.projectId, table.templateVersionId)
      .where(sql`template_version_id IS NOT NULL`),
    index("ix_email_contents_body").on(table.projectId, table.bodyKey).where(sql`body_key IS NOT NULL`),
  ],
);
export type ContentRow = typeof emailContents.$inferSelect;

/** One row per email and recipient, and the truth about its delivery. Queue messages only trigger work on it. */
export const emails = sqliteTable(
  "emails",
  {
    projectId: projectId(),
    id: id().notNull(),
    contentId: id().notNull(),
    contactId: id().notNull(),
    campaignId: id(),
    /** `execution:step` of the workflow that sends it, so that each step sends once. */
    effectId: text(),
    toEmail: text().notNull(),
    /** The recipient as the caller wrote it, for the To header. Null when it equals `toEmail`. */
    toWritten: text(),
    toName: text(),
    source: text().$type<EmailSource>().notNull(),
    /** Its place in the order of the project's mail: see core/mail/priority.ts. */
    priority: integer().$type<Priority>().notNull().default(0),
    status: text().$type<EmailStatus>().notNull(),
    error: text(),
    /** The subject as rendered; null until the mail is handed over. */
    subject: text(),
    /** Values for this recipient alone, in a workflow its run's: they override the content's. */
    ownData: jsonObject(),
    /** The contact as it was at the first rendering: every later try renders the same. */
    contact: text({ mode: "json" }).$type<ContactSnapshot>(),
    attempts: integer().notNull().default(0),
    /**
     * The call to the provider in which it was last handed over, and that call's idempotency key. The consumer that makes it
     * holds the email; see engine/mail/deliver.ts.
     */
    round: text(),
    /** Set just before the call to the provider: from then on the mail may have been sent. */
    handedAt: time(),
    /** The time of a call whose outcome is unknown, and whose repeat the provider would recognise. */
    uncertainSince: time(),
    /** When the provider is asked for it, should its outcome be unknown by then; null where nobody can be asked. */
    lookUpAt: time(),
    /** How often the provider answered that it does not have it, since the last call. */
    lookUps: integer().notNull().default(0),
    /** How its unknown outcome was settled. */
    settledBy: text().$type<Settler>(),
    clock: clock(),
    /** When the caller wants it sent; null for at once. */
    scheduledAt: time(),
    /** A QUEUED mail is not tried before this. Null while it is held. */
    nextAttemptAt: time(),
    /** When the sweep checks a mail that is QUEUED or SENDING. Null while it is held: then nobody reads it. */
    dueAt: time(),
    /** When a person asked to send it again. */
    retriedAt: time(),
    /** How often a consumer took it alone and stopped without a result, before handing anything over. */
    abandonments: integer().notNull().default(0),
    provider: text(),
    providerMessageId: text(),
    /** Reports that changed no status, so that their repeats are recognised: see engine/mail/report.ts. */
    reported: text({ mode: "json" }).$type<string[]>(),
    opens: integer().notNull().default(0),
    clicks: integer().notNull().default(0),
    /** The opens and clicks that are counted, so that their repeats are recognised: see engine/mail/hits.ts. */
    hits: text(),
    /** The numbers of the campaign's links that its recipient clicked, as in `,1,7,`. */
    clickedLinks: text(),
    causes: text({ mode: "json" }).$type<string[]>(),
    /** A workflow that an event of a public key started or woke mails its contact: see engine/workflows/public-mail.ts. */
    isPublic: flag().notNull().default(false),
    /** Its content is not kept any longer: see engine/mail/forget-contents.ts. */
    isForgotten: flag().notNull().default(false),
    createdAt: createdAt(),
    /** When it ended without being sent. */
    endedAt: time(),
    sentAt: time(),
    deliveredAt: time(),
    openedAt: time(),
    clickedAt: time(),
    bouncedAt: time(),
    complainedAt: time(),
    /** When its recipient left by one of its links: of the mail of campaigns and workflows. */
    unsubscribedAt: time(),
  },
  (table) => [
    rowKey(table),
    // One row per campaign and contact (nulls never collide). It also finds the emails of a person.
    uniqueIndex("ux_emails_contact").on(table.projectId, table.contactId, table.campaignId),
    // A project's open mail in the order in which it goes: for drainers, and for the sweep, which looks at the first of each.
    index("ix_emails_due").on(table.clock, table.projectId, table.priority, table.dueAt).where(sql`due_at IS NOT NULL`),
    // Mail that waits for its time, so that its sender domain is not deleted.
    index("ix_emails_scheduled")
      .on(table.projectId, table.scheduledAt)
      .where(sql`status = 'QUEUED' AND scheduled_at IS NOT NULL`),
    // Mail that is held until its project may send again. That of a campaign is held with its campaign.
    index("ix_emails_held")
      .on(table.projectId)
      .where(sql`status = 'QUEUED' AND due_at IS NULL AND campaign_id IS NULL`),
    // Mail whose outcome is unknown, and for which its provider is asked.
    index("ix_emails_look_up")
      .on(table.provider, table.lookUpAt)
      .where(sql`status = 'UNKNOWN' AND look_up_at IS NOT NULL`),
    uniqueIndex("ux_emails_effect").on(table.projectId, table.effectId).where(sql`effect_id IS NOT NULL`),
    // The mail of a workflow's step, newest last, for the workflow's statistics. The step is behind `execution:`.
    index("ix_emails_step").on(table.projectId, sql`substr(effect_id, 24)`, table.id).where(sql`effect_id IS NOT NULL`),
  ],
);
export type EmailRow = typeof emails.$inferSelect;

/** A call to the provider with several mails, stored before it is made: its id is the provider's idempotency key. */
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

/**
 * A project's mail in the order in which providers accepted it, in blocks of about a hundred, with what was reported of
 * each block: see engine/mail/reputation.ts.
 */
export const sendingBlocks = sqliteTable(
  "sending_blocks",
  {
    projectId: projectId(),
    /** 1, 2, 3 and so on. Old blocks are deleted. */
    number: integer().notNull(),
    /** The mails that were accepted before it, as `event_names.mails` counts them. */
    firstMail: integer().notNull(),
    /** A mail belongs to the last block that began before its `sent_at`. */
    startedAt: integer().notNull(),
    bounced: integer().notNull().default(0),
    complained: integer().notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.projectId, table.number] })],
);

/**
 * Mail that the embedded outbox provider stores. Mail that it did not accept has the id of its email.
 */
export const outboxMessages = sqliteTable(
  "outbox_messages",
  {
    projectId: projectId(),
    id: id().notNull(),
    emailId: id().notNull(),
    toEmail: text().notNull(),
    /** The MIME source of a small message. A larger one is in R2, under a key of project and id. */
    source: text(),
    createdAt: createdAt(),
  },
  (table) => [
    rowKey(table),
    index("ix_outbox_messages_to").on(table.toEmail, table.id),
    index("ix_outbox_messages_id").on(table.id),
  ],
);
export type OutboxRow = typeof outboxMessages.$inferSelect;

/**
 * Emails accepted in a calendar month (UTC) by template ('' for inline content), without those that were never sent.
 */
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
