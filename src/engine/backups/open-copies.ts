import { sql } from "drizzle-orm";

/** The condition under which the indexes `ix_jobs_copies` and `ix_jobs_operator` contain a job. */
export const isCopy = sql`type IN ('project.backup', 'project.restore', 'project.move')`;
