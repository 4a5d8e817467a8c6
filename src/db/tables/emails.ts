import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { Id } from "../../core/ids";
import type { AttachmentRow } from "../../core/mail/attachments";
import type { ContactSnapshot } from "../../core/mail/message";
import type { Priority } from "../../core/mail/priority";
import type { EmailSource, EmailStatus, EmailType, Settler } from "../../core/mail/status";
import { clock, contentColumns, createdAt, flag, id, jsonObject, projectId, rowKey, time } from "../columns";

/** The content of an email, stored once for all recipients of one call. */
export const emailContents = sqliteTable(
  "email_contents",
  {
    projectId: projectId(),
    id: id().notNull(),
    ...contentColumns(),
    /**
     * The HTML as given. Null when it is stored in R2 under `bodyKey`. Both columns are null when the template version
     * has the HTML.
     */
    body: text(),
    /**
     * The key of the HTML's file in R2. A file whose key begins with `content/` and ends with the row's id belongs to
     * the content, and is deleted with it. Any other file belongs to a template or a campaign, whose emails share it.
     */
    bodyKey: text(),
    headers: text({ mode: "json" }).$type<Record<string, string>>().notNull(),
    /** The attachments; their files are in R2. */
    attachments: text({ mode: "json" }).$type<AttachmentRow[]>().notNull(),
    /** The size of the body and the files in bytes. It limits how many emails are in memory at once. */
    size: integer().notNull(),
    /**
     * The data that the call sent, including data that is not stored on the contact. It overrides the data of the
     * contact when the mail is rendered.
     */
    ownData: jsonObject().notNull(),
    type: text().$type<EmailType>().notNull(),
    topicId: id(),
    /** Whether opens and clicks are tracked. */
    isTracked: flag().notNull().default(true),
    /** Whether this is a confirmation mail of double opt-in. Only such emails have `confirmUrl`. */
    isConfirmation: flag().notNull().default(false),
    templateId: id(),
    /** Null for mail without a template, and once the content is no longer stored. */
    templateVersionId: id(),
    campaignId: id(),
    variant: text(),
    /**
     * The base URL of the pages for recipients. It is stored because the code that sends the mail later has no request
     * that contains it.
     */
    linkBase: text(),
    /**
     * The number of emails that still need this content: those that are not forgotten and whose contact is not erased.
     * The content is deleted when the number reaches 0.
     */
    recipients: integer().notNull().default(1),
    createdAt: createdAt(),
  },
  (table) => [
    rowKey(table),
    // Finds the contents that still name a template version or its file, because that version must then be retained.
    index("ix_email_contents_version")
      .on(table.projectId, table.templateVersionId)
      .where(sql`template_version_id IS NOT NULL`),
    index("ix_email_contents_body").on(table.projectId, table.bodyKey).where(sql`body_key IS NOT NULL`),
  ],
);
export type ContentRow = typeof emailContents.$inferSelect;

/** One row per email and recipient: the authoritative state of a delivery. Queue messages only trigger work on it. */
export const emails = sqliteTable(
  "emails",
  {
    projectId: projectId(),
    id: id().notNull(),
    contentId: id().notNull(),
    contactId: id().notNull(),
    campaignId: id(),
    /**
     * The execution and the step that send the email, as `execution:step`, so that each step of a workflow sends once.
     */
    effectId: text(),
    toEmail: text().notNull(),
    /** The recipient as the caller wrote it, for the To header. Null when it equals `toEmail`. */
    toWritten: text(),
    toName: text(),
    source: text().$type<EmailSource>().notNull(),
    /** The email's priority among the mail of its project: see core/mail/priority.ts. */
    priority: integer().$type<Priority>().notNull().default(0),
    status: text().$type<EmailStatus>().notNull(),
    error: text(),
    /** The rendered subject; null until the hand-over. */
    subject: text(),
    /** Values for this recipient only; in a workflow, the values of the execution. They override the content's data. */
    ownData: jsonObject(),
    /** A snapshot of the contact from the first rendering, so that every later attempt renders the same. */
    contact: text({ mode: "json" }).$type<ContactSnapshot>(),
    attempts: integer().notNull().default(0),
    /**
     * The id of the provider call that last handed the email over, which is also the idempotency key of that call. The
     * consumer that makes the call holds the email; see engine/mail/deliver/deliver.ts.
     */
    round: text(),
    /** The time of the hand-over, just before the call to the provider. From then on, the mail might have been sent. */
    handedAt: time(),
    /**
     * The time of an earlier provider call with an unknown outcome. The provider would recognise a repeat of that call.
     */
    uncertainSince: time(),
    /**
     * When to ask the provider about the email if its outcome is still unknown. Null when the provider cannot be asked.
     */
    lookUpAt: time(),
    /** How many times the provider has answered that it does not have the email, since the last hand-over. */
    lookUps: integer().notNull().default(0),
    /** How an unknown outcome was settled; null when there was none or it is still unknown. */
    settledBy: text().$type<Settler>(),
    clock: clock(),
    /** When the caller wants the email to be sent; null for immediately. */
    scheduledAt: time(),
    /** A QUEUED mail is not attempted before this time. Null while the mail is held. */
    nextAttemptAt: time(),
    /**
     * When the sweep checks an email that is QUEUED or SENDING. Null while the mail is held, so that no sweep reads it.
     */
    dueAt: time(),
    /** When a user asked to send the email again. */
    retriedAt: time(),
    /** How many times a consumer worked on this email alone and stopped before the hand-over without a result. */
    abandonments: integer().notNull().default(0),
    provider: text(),
    providerMessageId: text(),
    /** The reports that changed no status, stored so that repeats are recognised: see engine/mail/report/report.ts. */
    reported: text({ mode: "json" }).$type<string[]>(),
    opens: integer().notNull().default(0),
    clicks: integer().notNull().default(0),
    /**
     * The opens and clicks that were counted, stored so that repeats are recognised: see engine/mail/report/hits.ts.
     */
    hits: text(),
    /** The numbers of the campaign's links that the recipient clicked, as in `,1,7,`. */
    clickedLinks: text(),
    causes: text({ mode: "json" }).$type<string[]>(),
    /**
     * Whether an event of a public key caused the mail, by starting or waking a workflow that mails the event's
     * contact: see engine/workflows/steps/public-mail.ts.
     */
    isPublic: flag().notNull().default(false),
    /** Whether the content is no longer stored: see engine/mail/forget/contents.ts. */
    isForgotten: flag().notNull().default(false),
    createdAt: createdAt(),
    /** When the email ended without being sent. */
    endedAt: time(),
    sentAt: time(),
    deliveredAt: time(),
    openedAt: time(),
    clickedAt: time(),
    bouncedAt: time(),
    complainedAt: time(),
    /** When the recipient unsubscribed by a link in this email. Set only for mail of campaigns and workflows. */
    unsubscribedAt: time(),
  },
  (table) => [
    rowKey(table),
    // One row per campaign and contact. Mail without a campaign is not limited, because NULLs are distinct. This index
    // also finds the emails of a contact.
    uniqueIndex("ux_emails_contact").on(table.projectId, table.contactId, table.campaignId),
    // The open mail of a project in the order of delivery: for consumers of waiting mail, and for the sweep, which
    // reads the first email of each project.
    index("ix_emails_due").on(table.clock, table.projectId, table.priority, table.dueAt).where(sql`due_at IS NOT NULL`),
    // Mail that failed or whose outcome is unknown, for the list of items that need attention.
    index("ix_emails_unsent").on(table.projectId, table.id).where(sql`status IN ('FAILED', 'UNKNOWN')`),
    // Finds mail that waits for its scheduled time, because the sender domain of such mail must not be deleted.
    index("ix_emails_scheduled")
      .on(table.projectId, table.scheduledAt)
      .where(sql`status = 'QUEUED' AND scheduled_at IS NOT NULL`),
    // Mail that is held until its project may send again. Mail of a campaign is not included, because it is held with
    // its campaign.
    index("ix_emails_held")
      .on(table.projectId)
      .where(sql`status = 'QUEUED' AND due_at IS NULL AND campaign_id IS NULL`),
    // Mail with an unknown outcome, about which the provider is asked.
    index("ix_emails_look_up")
      .on(table.provider, table.lookUpAt)
      .where(sql`status = 'UNKNOWN' AND look_up_at IS NOT NULL`),
    // For the operator: mail of all projects that failed or has an unknown outcome, by when it ended or was handed
    // over.
    index("ix_emails_failed_at")
      .on(sql`coalesce(ended_at, handed_at)`)
      .where(sql`clock = 0 AND status IN ('FAILED', 'UNKNOWN')`),
    uniqueIndex("ux_emails_effect").on(table.projectId, table.effectId).where(sql`effect_id IS NOT NULL`),
    // The mail of a workflow step, oldest first, for the statistics of the workflow. The step is the part of the effect
    // id after `execution:`.
    index("ix_emails_step").on(table.projectId, sql`substr(effect_id, 24)`, table.id).where(sql`effect_id IS NOT NULL`),
  ],
);
export type EmailRow = typeof emails.$inferSelect;

/**
 * A call to the provider with several emails, stored before the call is made. Its id is the idempotency key at the
 * provider.
 */
export const rounds = sqliteTable(
  "rounds",
  {
    projectId: projectId(),
    id: id().notNull(),
    provider: text().notNull(),
    /** The ids of the round's emails, in the order of the call. */
    emails: text({ mode: "json" }).$type<Id[]>().notNull(),
    handedAt: integer().notNull(),
  },
  (table) => [rowKey(table), index("ix_rounds_handed").on(table.handedAt)],
);
