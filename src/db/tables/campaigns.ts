import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { FilterCondition } from "../../core/audience/condition";
import { audienceTypes, type Canary, type NamedFiles, type StoredVariant } from "../../core/campaigns/campaign";
import type { Counts } from "../../core/campaigns/counts";
import { campaignStatuses } from "../../core/campaigns/status";
import type { EmailType } from "../../core/mail/status";
import { clock, contentColumns, createdAt, id, jsonObject, projectId, rowKey, time, updatedAt } from "../columns";

const counter = () => integer().notNull();

/** An email to an audience, sent once. */
export const campaigns = sqliteTable(
  "campaigns",
  {
    projectId: projectId(),
    id: id().notNull(),
    name: text().notNull(),
    description: text(),
    status: text({ enum: campaignStatuses }).notNull(),
    /** Why a campaign that is SENDING waits, or why Petrel itself cancelled the campaign. */
    heldReason: text(),
    audienceType: text({ enum: audienceTypes }).notNull(),
    segmentId: id(),
    templateId: id(),
    topicId: id(),
    type: text().$type<EmailType>().notNull(),
    ...contentColumns(),
    canary: text({ mode: "json" }).$type<Canary>(),
    scheduledFor: time(),
    /** Name, subject and sender in lower case, for the list's search. */
    searchText: text().notNull(),
    version: integer().notNull().default(1),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
    sentAt: time(),
    completedAt: time(),
    // Columns that can be large come last, so that a list reads only the beginning of a row.
    audienceCondition: text({ mode: "json" }).$type<FilterCondition>(),
    /** A snapshot of the campaign from the moment when sending began: see engine/recipients/frozen.ts. */
    frozen: jsonObject(),
    variants: text({ mode: "json" }).$type<StoredVariant[]>(),
    /** The HTML. Null when it is large and stored in R2, under `bodyKey`. */
    body: text(),
    bodyKey: text(),
    /** The ids of the uploaded files that the bodies of the campaign and of its variants name; null for none. */
    files: text({ mode: "json" }).$type<NamedFiles>(),
  },
  (table) => [
    rowKey(table),
    // Finds the campaigns whose bodies name an uploaded file, because the file cannot be deleted while one of them is
    // open.
    index("ix_campaigns_files").on(table.projectId, table.status, table.files).where(sql`files IS NOT NULL`),
    index("ix_campaigns_status").on(table.projectId, table.status, table.id),
    // Finds campaigns by the beginning of their names, because the search text begins with the name.
    index("ix_campaigns_search").on(table.projectId, table.searchText, table.id),
    index("ix_campaigns_scheduled").on(table.projectId, table.scheduledFor, table.id).where(sql`status = 'SCHEDULED'`),
    // Finds the campaigns of a topic, because a topic cannot be deleted while one of its campaigns is open.
    index("ix_campaigns_topic").on(table.projectId, table.topicId, table.id).where(sql`topic_id IS NOT NULL`),
    index("ix_campaigns_template").on(table.projectId, table.templateId).where(sql`template_id IS NOT NULL`),
    // Finds the campaigns that use the file of a template version, because that version must then be retained.
    index("ix_campaigns_body").on(table.projectId, table.bodyKey).where(sql`body_key IS NOT NULL`),
  ],
);
export type CampaignRow = typeof campaigns.$inferSelect;

/**
 * The progress of sending a campaign, from the call that schedules or sends it until the sending has ended. Each step
 * writes this row. It is separate from the campaign's row, which can be large.
 */
export const campaignRuns = sqliteTable(
  "campaign_runs",
  {
    projectId: projectId(),
    id: id().notNull(),
    clock: clock(),
    /** When the sweep checks the run. The run is then due to start or to continue, or its message was lost. */
    dueAt: time().notNull(),
    /** Changes with every step, so that only one of two concurrent runs can take a step. */
    step: integer().notNull().default(0),
    /** The progress of the run: see engine/recipients/frozen.ts. */
    progress: jsonObject().notNull().default({}),
    /**
     * The base URL of the pages for recipients. It is stored because the sweep that starts a campaign later has no
     * request that contains it.
     */
    linkBase: text(),
  },
  (table) => [rowKey(table), index("ix_campaign_runs_due").on(table.clock, table.dueAt)],
);
export type CampaignRunRow = typeof campaignRuns.$inferSelect;

/** A page of a campaign's emails: those from `first_id` to `last_id`, which are delivered and counted together. */
export const campaignPages = sqliteTable(
  "campaign_pages",
  {
    projectId: projectId(),
    campaignId: id().notNull(),
    firstId: id().notNull(),
    lastId: id().notNull(),
    part: text({ enum: ["CANARY", "REST"] }).notNull(),
    /** When the emails were handed to the consumers of mail. Null while they are held. */
    releasedAt: time(),
    /** The number of emails that were waiting or on their way at the last count. */
    open: integer().notNull().default(0),
    /** When the page is counted again. Null while no email of it has changed since the last count. */
    recountAt: time().default(0),
    /** The counts of this page by content, from the last count: the page's share of `campaign_counts`. */
    counts: text({ mode: "json" }).$type<Record<string, Counts>>().notNull().default({}),
    /** The counts of each hour at the last count: see engine/campaigns/hours.ts. */
    hours: text({ mode: "json" }).$type<Record<string, number[]>>().notNull().default({}),
    /**
     * `countsBefore` has the counts from before the last count, and `countId` identifies the last count. The second
     * statement of a count needs both.
     */
    countsBefore: text({ mode: "json" }).$type<Record<string, Counts>>().notNull().default({}),
    countId: id(),
  },
  (table) => [
    primaryKey({ columns: [table.projectId, table.campaignId, table.firstId] }),
    index("ix_campaign_pages_uncounted").on(table.projectId, table.recountAt).where(sql`recount_at IS NOT NULL`),
  ],
);

/**
 * The counters of a campaign, by content; each variant has its own content. Each counter is the sum over the campaign's
 * pages: see engine/campaigns/count-page.ts.
 */
export const campaignCounts = sqliteTable(
  "campaign_counts",
  {
    projectId: projectId(),
    campaignId: id().notNull(),
    contentId: id().notNull(),
    /** The variant of the content. It is stored here because the content might be deleted one day. */
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
 * The number of contacts in the audience of a campaign for whom the campaign created no email. Each contact counts
 * once, for the first reason that applies.
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

/** The links in the contents of a campaign, and how often they were followed: see engine/campaigns/links.ts. */
export const campaignLinks = sqliteTable(
  "campaign_links",
  {
    projectId: projectId(),
    campaignId: id().notNull(),
    contentId: id().notNull(),
    /** The position of the URL in its content, from 1. The tracking link contains this number. */
    number: integer().notNull(),
    /** The URL as written in the content, before values are inserted. */
    url: text().notNull(),
    clicks: counter().default(0),
    /** The number of emails in which this link was clicked at least once. */
    uniqueClicks: counter().default(0),
    automatedClicks: counter().default(0),
  },
  (table) => [primaryKey({ columns: [table.projectId, table.campaignId, table.contentId, table.number] })],
);
