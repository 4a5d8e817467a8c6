import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { StoredJobType } from "../../core/jobs";
import type { JsonObject } from "../../core/json";
import { createdAt, id, jsonObject, projectId, time } from "../columns";

/** Work that a call started and that goes on after its answer. */
export const jobs = sqliteTable(
  "jobs",
  {
    id: id(),
    projectId: projectId(),
    type: text().$type<StoredJobType>().notNull(),
    status: text({ enum: ["queued", "processing", "completed", "failed"] }).notNull(),
    progress: integer().notNull().default(0),
    /** What the call asked for. */
    input: jsonObject().notNull().default({}),
    /** How far the work is: every step of it is conditional on the state that the step before it left. */
    state: jsonObject().notNull().default({}),
    result: jsonObject(),
    errors: text({ mode: "json" }).$type<JsonObject[]>().notNull(),
    createdAt: createdAt(),
    completedAt: time(),
    /** When the message of a job that is not done counts as lost. */
    nextAnnounceAt: time(),
  },
  (table) => [
    index("ix_jobs_project").on(table.projectId, table.id),
    index("ix_jobs_open").on(table.nextAnnounceAt).where(sql`status IN ('queued', 'processing')`),
  ],
);
export type JobRow = typeof jobs.$inferSelect;
