import { type SQL, sql } from "drizzle-orm";

/**
 * Returns a WITH clause for `hop (project)`: the projects that have at least one of `rows`, followed by a row with
 * NULL. `rows` is a FROM clause with a condition. The clause seeks in an index from one project to the next, so the
 * number of rows per project does not matter.
 */
export function hopProjects(rows: SQL, { after = 0, limit }: { after?: number; limit?: number } = {}): SQL {
  const next = (project: SQL) => sql`(SELECT min(project_id) ${rows} AND project_id > ${project})`;
  return sql`WITH RECURSIVE hop (project) AS (
    SELECT ${next(sql`${after}`)}
    UNION ALL SELECT ${next(sql`project`)} FROM hop WHERE project IS NOT NULL${limit === undefined ? sql`` : sql` LIMIT ${limit}`})`;
}
