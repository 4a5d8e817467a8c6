import { type SQL, sql } from "drizzle-orm";

/** The project to which the rows of a statement belong. A verb's `ctx` is an owner. */
export interface Owner {
  project: { number: number };
}

/**
 * Returns the tenant condition, which every query on the rows of a project needs. In a statement with several tables,
 * `table` names the one to which the condition applies.
 */
export function inProject({ project }: Owner, table?: string): SQL {
  const isOfProject = sql`project_id = ${project.number}`;
  return table === undefined ? isOfProject : sql`${sql.raw(table)}.${isOfProject}`;
}
