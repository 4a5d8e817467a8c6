import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { FilterCondition } from "../../core/audience/condition";
import type { Counts } from "../../core/campaigns/counts";
import type { EmailType } from "../../core/mail/status";
import { clock, createdAt, flag, id, jsonObject, projectId, rowKey, time, updatedAt } from "../columns";

const counter = () => integer().notNull();

/** A mail to an audience, sent once. */
export const campaigns = sqliteTable(
  "campaigns",
  {
    projectId: projectId(),
    id: id().notNull(),
    name: text().notNull(),
    description: text(),
    status: text({ enum: ["DRAFT", "SCHEDULED", "SENDING", "SENT", "CANCELLED"] }).notNull(),
    /** Why it waits while it is SENDING. */
    heldReason: text(),
    audienceType: text({ enum: ["ALL", "SEGMENT", "FILTERED"] }).notNull(),
    segmentId: id(),
    audienceCondition: text({ mode: "json" }).$type<FilterCondition>(),
    templateId: id(),
    templateVersionId: id(),
    topicId: id(),
    type: text().$type<EmailType>().notNull(),
    subject: text().notNull(),
    previewText: text(),
    /** The HTML. Null when it is large and stored in R2, under `bodyKey`. */
    body: text(),
    bodyKey: text(),
    fromEmail: text().notNull(),
    fromName: text(),
    replyTo: text(),
    isTracked: flag().notNull().default(true),
    variants: text({ mode: "json" }).$type<unknown[]>(),
    canary: jsonObject(),
    clock: clock(),
    scheduledFor: time(),
    /** When the sweep checks it: it is due to start, or its next step was lost. */
    dueAt: time(),
    /** Changes with every start; work of an earlier start then has no effect. */
    epoch: integer().notNull().default(0),
    /** The state when sending began: the time, the highest contact, the condition, and the progress of the ledger. */
    frozen: jsonObject(),
    totalRecipients: integer().notNull().default(0),
    /** Name, subject and sender in lower case, for the list's search. */
    searchText: text().notNull(),
    version: integer().notNull().default(1),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
    sentAt: time(),
    completedAt: time(),
  },
  (table) => [
    rowKey(table),
    index("ix_campaigns_status").on(table.projectId, table.status, table.id),
    index("ix_campaigns_scheduled").on(table.projectId, table.scheduledFor, table.id).where(sql`status = 'SCHEDULED'`),
    // The campaigns of a topic, which cannot be deleted while one of them is open.
    index("ix_campaigns_topic").on(table.projectId, table.topicId, table.id).where(sql`topic_id IS NOT NULL`),
    index("ix_campaigns_due").on(table.clock, table.dueAt).where(sql`due_at IS NOT NULL`),
  ],
);

/** A block of a campaign's ledger: the emails from `first_id` to `last_id`, delivered and counted together. */
export const campaignPages = sqliteTable(
  "campaign_pages",
  {
    projectId: projectId(),
    campaignId: id().notNull(),
    firstId: id().notNull(),
    lastId: id().notNull(),
    part: text({ enum: ["CANARY", "REST"] }).notNull(),
    contentIds: text({ mode: "json" }).$type<string[]>().notNull(),
    /** Emails without a final status. */
    open: integer().notNull(),
    /** When the sweep checks it: it is due to be delivered. */
    dueAt: time(),
    /** When it is counted again. Null as long as no email of it has changed since the last count. */
    recountAt: time().default(0),
    /** What the last count found, by content: this much of `campaign_counts` is of this page. */
    counts: text({ mode: "json" }).$type<Record<string, Counts>>().notNull().default({}),
    /** What the count before found, and the name of the last count: for its second statement. */
    countsBefore: text({ mode: "json" }).$type<Record<string, Counts>>().notNull().default({}),
    countId: id(),
  },
  (table) => [
    primaryKey({ columns: [table.projectId, table.campaignId, table.firstId] }),
    index("ix_campaign_pages_due").on(table.dueAt).where(sql`due_at IS NOT NULL`),
    index("ix_campaign_pages_uncounted").on(table.projectId, table.recountAt).where(sql`recount_at IS NOT NULL`),
  ],
);

/**
 * The counters of a campaign, by content: of a campaign with variants each has its own. They are the sum of what the
 * campaign's pages say: see engine/campaigns/count-page.ts.
 */
export const campaignCounts = sqliteTable(
  "campaign_counts",
  {
    projectId: projectId(),
    campaignId: id().notNull(),
    contentId: id().notNull(),
    /** The content's, which may be gone one day. */
    variant: text(),
    queued: counter(),
    failed: counter(),
    suppressed: counter(),
    cancelled: counter(),
    unknown: counter(),
    sent: counter(),
    delivered: counter(),
    opened: counter(),
    clicked: counter(),
    bounced: counter(),
    complained: counter(),
    unsubscribed: counter(),
  },
  (table) => [primaryKey({ columns: [table.projectId, table.campaignId, table.contentId] })],
);
