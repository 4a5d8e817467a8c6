import { type SQL, sql } from "drizzle-orm";

/**
 * Matches rows whose project lives in this database. Leaves out the rows of a project that is still being copied into
 * it, and the rows that a moved project has left behind. Use this in statements over the rows of all projects.
 */
export function isAtHome(project: SQL = sql`project_id`): SQL {
  return sql`${project} NOT IN (SELECT moves.project_id FROM moves WHERE moves.stage = 'fenced')`;
}
