import { type SQL, sql } from "drizzle-orm";

/**
 * Matches rows of projects that live in this database. Leaves out those of a project that is being copied into it, and
 * those that a moved project has left behind. For statements over the rows of all projects.
 */
export function isAtHome(project: SQL = sql`project_id`): SQL {
  return sql`${project} NOT IN (SELECT moves.project_id FROM moves WHERE moves.stage = 'fenced')`;
}
