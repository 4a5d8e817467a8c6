import { type SQL, sql } from "drizzle-orm";

/** The project to which a statement's rows belong: a verb's `ctx`. */
export interface Owner {
  project: { number: number };
}

/**
 * Returns the tenant condition, which every query on the rows of a project needs. `table` is the name of the table in a
 * statement with several.
 */
export function inProject({ project }: Owner, table?: string): SQL {
  const isOfProject = sql`project_id = ${project.number}`;
  return table === undefined ? isOfProject : sql`${sql.raw(table)}.${isOfProject}`;
}
