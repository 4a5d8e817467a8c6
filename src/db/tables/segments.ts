import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { FilterCondition } from "../../core/audience/condition";
import { clock, createdAt, flag, id, projectId, rowKey, time, updatedAt } from "../columns";

/** A part of a project's contacts: those a condition holds for, or those put in by hand. */
export const segments = sqliteTable(
  "segments",
  {
    projectId: projectId(),
    id: id().notNull(),
    name: text().notNull(),
    description: text(),
    type: text({ enum: ["DYNAMIC", "STATIC"] }).notNull(),
    /** Fixed at creation: the names of its entry and exit events hang on it. */
    slug: text().notNull(),
    condition: text({ mode: "json" }).$type<FilterCondition>(),
    trackMembership: flag().notNull(),
    memberCount: integer().notNull().default(0),
    /** When `member_count` was counted, and what the project's contacts and events were then. */
    countedAt: time(),
    countedOf: text(),
    clock: clock(),
    /** When a sweep looks whether it is to be counted again. */
    nextCountAt: time(),
    /** The same of the members of a tracked segment, for the sweep that recomputes them. */
    computedAt: time(),
    computedOf: text(),
    /** When a sweep looks whether its members are to be computed again; null when it is not tracked. */
    nextComputeAt: time(),
    /** The job that computes its members right now: two at once would fire twice. */
    computeJobId: id(),
    /** Moves with every change, so that a write that depends on what was read can tell. */
    version: integer().notNull().default(1),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    rowKey(table),
    uniqueIndex("ux_segments_slug").on(table.projectId, table.slug),
    index("ix_segments_uncounted").on(table.clock, table.nextCountAt).where(sql`next_count_at IS NOT NULL`),
    index("ix_segments_uncomputed").on(table.clock, table.nextComputeAt).where(sql`next_compute_at IS NOT NULL`),
  ],
);
export type SegmentRow = typeof segments.$inferSelect;

/** Who is in a static segment, and who was in a tracked one when it was last computed. */
export const segmentMembers = sqliteTable(
  "segment_members",
  {
    projectId: projectId(),
    segmentId: id().notNull(),
    contactId: id().notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.projectId, table.segmentId, table.contactId] }),
    index("ix_segment_members_contact").on(table.projectId, table.contactId),
  ],
);
