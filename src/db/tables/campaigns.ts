import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { FilterCondition } from "../../core/audience/condition";
import { audienceTypes, type Canary, type StoredVariant } from "../../core/campaigns/campaign";
import type { Counts } from "../../core/campaigns/counts";
import { campaignStatuses } from "../../core/campaigns/status";
import type { EmailType } from "../../core/mail/status";
import { clock, createdAt, id, jsonObject, projectId, rowKey, time, updatedAt } from "../columns";

const counter = () => integer().notNull();

/** A mail to an audience, sent once. */
export const campaigns = sqliteTable(
  "campaigns",
  {
    projectId: projectId(),
    id: id().notNull(),
    name: text().notNull(),
    description: text(),
    status: text({ enum: campaignStatuses }).notNull(),
    /** Why it waits while it is SENDING. */
    heldReason: text(),
    audienceType: text({ enum: audienceTypes }).notNull(),
    segmentId: id(),
    templateId: id(),
    topicId: id(),
    type: text().$type<EmailType>().notNull(),
    subject: text().notNull(),
    previewText: text(),
    fromEmail: text().notNull(),
    fromName: text(),
    replyTo: text(),
    canary: text({ mode: "json" }).$type<Canary>(),
    scheduledFor: time(),
    /** Name, subject and sender in lower case, for the list's search. */
    searchText: text().notNull(),
    version: integer().notNull().default(1),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
    sentAt: time(),
    completedAt: time(),
    // What may be large comes last, so that a list reads the beginning of a row only.
    audienceCondition: text({ mode: "json" }).$type<FilterCondition>(),
    /** What it was when sending began: see features/campaigns/frozen.ts. */
    frozen: jsonObject(),
    variants: text({ mode: "json" }).$type<StoredVariant[]>(),
    /** The HTML. Null when it is large and stored in R2, under `bodyKey`. */
    body: text(),
    bodyKey: text(),
  },
  (table) => [
    rowKey(table),
    index("ix_campaigns_status").on(table.projectId, table.status, table.id),
    index("ix_campaigns_scheduled").on(table.projectId, table.scheduledFor, table.id).where(sql`status = 'SCHEDULED'`),
    // The campaigns of a topic, which cannot be deleted while one of them is open.
    index("ix_campaigns_topic").on(table.projectId, table.topicId, table.id).where(sql`topic_id IS NOT NULL`),
    index("ix_campaigns_template").on(table.projectId, table.templateId).where(sql`template_id IS NOT NULL`),
    // The campaigns that have the file of a template's version: then the version stays.
    index("ix_campaigns_body").on(table.projectId, table.bodyKey).where(sql`body_key IS NOT NULL`),
  ],
);
export type CampaignRow = typeof campaigns.$inferSelect;

/**
 * Where the sending of a campaign stands, from when it is scheduled or sent until it has ended. It is apart from the
 * campaign, whose row may be large, because each step writes it.
 */
export const campaignRuns = sqliteTable(
  "campaign_runs",
  {
    projectId: projectId(),
    id: id().notNull(),
    clock: clock(),
    /** When the sweep checks it: it is due to start or to go on, or a run was lost. */
    dueAt: time().notNull(),
    /** Changes with every step, so that of two runs at once only one takes it. */
    step: integer().notNull().default(0),
    /** See features/campaigns/frozen.ts. */
    progress: jsonObject().notNull().default({}),
    /**
     * The base URL of the recipients' own pages. The call that sends or schedules knows it; what starts it at its time
     * does not.
     */
    linkBase: text(),
  },
  (table) => [rowKey(table), index("ix_campaign_runs_due").on(table.clock, table.dueAt)],
);
export type CampaignRunRow = typeof campaignRuns.$inferSelect;

/** A block of a campaign's ledger: the emails from `first_id` to `last_id`, delivered and counted together. */
export const campaignPages = sqliteTable(
  "campaign_pages",
  {
    projectId: projectId(),
    campaignId: id().notNull(),
    firstId: id().notNull(),
    lastId: id().notNull(),
    part: text({ enum: ["CANARY", "REST"] }).notNull(),
    /** When its emails were given to the consumers of mail. Null while they are held. */
    releasedAt: time(),
    /** Emails that wait or are on their way, as of the last count. */
    open: integer().notNull().default(0),
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

/**
 * Whom the freeze of a campaign left out: contacts of its audience without a row in its ledger. Each counts once, by the
 * first reason that is true.
 */
export const campaignLeftOut = sqliteTable(
  "campaign_left_out",
  {
    projectId: projectId(),
    campaignId: id().notNull(),
    suppressed: counter(),
    snoozed: counter(),
    unsubscribed: counter(),
    topic: counter(),
  },
  (table) => [primaryKey({ columns: [table.projectId, table.campaignId] })],
);

/** The links of a campaign's contents, and who followed them: see engine/campaigns/links.ts. */
export const campaignLinks = sqliteTable(
  "campaign_links",
  {
    projectId: projectId(),
    campaignId: id().notNull(),
    contentId: id().notNull(),
    /** The place of the URL among those of its content, from 1. It travels in the link. */
    number: integer().notNull(),
    /** As it is written in the content, before values are put in. */
    url: text().notNull(),
    clicks: counter().default(0),
    /** Emails of which the link was clicked at least once. */
    uniqueClicks: counter().default(0),
    automatedClicks: counter().default(0),
  },
  (table) => [primaryKey({ columns: [table.projectId, table.campaignId, table.contentId, table.number] })],
);
