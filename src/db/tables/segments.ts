import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { FilterCondition } from "../../core/audience/condition";
import { clock, createdAt, flag, id, projectId, rowKey, time, updatedAt } from "../columns";

/** A group of a project's contacts: all that match a condition, or members added by hand. */
export const segments = sqliteTable(
  "segments",
  {
    projectId: projectId(),
    id: id().notNull(),
    name: text().notNull(),
    description: text(),
    type: text({ enum: ["DYNAMIC", "STATIC"] }).notNull(),
    /** Fixed at creation, because the names of the segment's entry and exit events contain the slug. */
    slug: text().notNull(),
    condition: text({ mode: "json" }).$type<FilterCondition>(),
    /**
     * Whether contacts can enter or leave merely because time passes. Saved with the condition: see `movesWithTime`.
     */
    movesWithTime: flag().notNull().default(false),
    trackMembership: flag().notNull(),
    memberCount: integer().notNull().default(0),
    /** When `memberCount` was counted. `countedOf` is the version of contacts and events at that time. */
    countedAt: time(),
    countedOf: text(),
    clock: clock(),
    /** When a sweep checks whether the members must be counted again. */
    nextCountAt: time(),
    /**
     * When the members of a tracked segment were computed. `computedOf` is the version of contacts and events at that
     * time.
     */
    computedAt: time(),
    computedOf: text(),
    /** When a sweep checks whether the members must be computed again; null when the segment is not tracked. */
    nextComputeAt: time(),
    /** The current job that computes the members. Two such jobs at once would record events twice. */
    computeJobId: id(),
    /**
     * Changes with every change of the row, so that a write can check whether the row has changed since it was read.
     */
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

/** The members of a static segment, and those of a tracked segment at its last computation. */
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
