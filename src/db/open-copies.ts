import { type SQL, sql } from "drizzle-orm";

/** The condition under which the indexes `ix_jobs_copies` and `ix_jobs_operator` contain a job. */
export const isCopy = sql`type IN ('project.backup', 'project.restore', 'project.move')`;

/**
 * Matches a project that is being backed up. A backup copies files last, so files that its rows name are kept until
 * then. `project` is the project's number, as an SQL expression.
 */
export function isBackedUp(project: SQL): SQL {
  return sql`EXISTS (SELECT 1 FROM jobs backup INDEXED BY ix_jobs_copies WHERE backup.project_id = ${project}
    AND ${isCopy} AND backup.type = 'project.backup' AND backup.status IN ('queued', 'processing'))`;
}
