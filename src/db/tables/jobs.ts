import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { jobStatuses } from "../../core/job-status";
import type { JsonObject } from "../../core/json";
import type { JobType } from "../../core/messages";
import { createdAt, id, jsonObject, projectId, rowKey, time } from "../columns";

/** Background work that a call started. */
export const jobs = sqliteTable(
  "jobs",
  {
    projectId: projectId(),
    id: id().notNull(),
    type: text().$type<JobType>().notNull(),
    status: text({ enum: jobStatuses }).notNull(),
    progress: integer().notNull().default(0),
    /** Changes when the work is requested again. A running job notices the change and starts over. */
    generation: integer().notNull().default(1),
    /** The input of the call. */
    input: jsonObject().notNull().default({}),
    /** The state of the work. Every step is conditional on the state that the previous step stored. */
    state: jsonObject().notNull().default({}),
    result: jsonObject(),
    errors: text({ mode: "json" }).$type<JsonObject[]>().notNull(),
    /** Why the job failed. */
    reason: text(),
    /** When the job's runs began to fail without progress; null while they succeed. */
    failingSince: time(),
    createdAt: createdAt(),
    completedAt: time(),
    /** When the message of an unfinished job counts as lost. */
    nextAnnounceAt: time(),
  },
  (table) => [
    rowKey(table),
    // The order of the list. Ids do not give it, because a job with a fixed id keeps the id when it is started again,
    // whereas `created_at` then changes.
    index("ix_jobs_list").on(table.projectId, table.createdAt, table.id),
    index("ix_jobs_failed").on(table.projectId, table.completedAt).where(sql`status = 'failed'`),
    // The operator looks up an erasure by its id alone.
    index("ix_jobs_erasures").on(table.id).where(sql`type = 'project.erase'`),
    // The operator's other jobs, which are in the databases of their projects. One index finds them by their ids alone,
    // the other by project.
    index("ix_jobs_operator").on(table.id).where(sql`type IN ('project.backup', 'project.restore', 'project.move')`),
    index("ix_jobs_copies")
      .on(table.projectId, table.id)
      .where(sql`type IN ('project.backup', 'project.restore', 'project.move')`),
    // Finds the unfinished preflights of a project. A project has few at once, and a campaign at most one.
    index("ix_jobs_preflights")
      .on(table.projectId, table.id)
      .where(sql`type = 'campaigns.preflight' AND status IN ('queued', 'processing')`),
    // Finds the jobs with errors, because the erasure of a contact searches the errors for the contact's address.
    index("ix_jobs_errors").on(table.projectId, table.id).where(sql`errors <> '[]'`),
    // Finds jobs of all projects that ended long ago, for the sweep that deletes them.
    index("ix_jobs_ended").on(table.completedAt).where(sql`completed_at IS NOT NULL`),
    index("ix_jobs_open").on(table.nextAnnounceAt).where(sql`status IN ('queued', 'processing')`),
  ],
);
export type JobRow = typeof jobs.$inferSelect;
