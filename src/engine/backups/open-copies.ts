import { sql } from "drizzle-orm";

/** The condition of the indexes `ix_jobs_copies` and `ix_jobs_operator`. */
export const isCopy = sql`type IN ('project.backup', 'project.restore', 'project.move')`;
