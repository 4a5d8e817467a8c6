import { type AnyColumn, and, eq, type SQL } from "drizzle-orm";

/** Adds the tenant condition, which every query on the rows of a project needs. */
export function inProject(
  table: { projectId: AnyColumn },
  ctx: { project: { number: number } },
  ...conditions: (SQL | undefined)[]
): SQL | undefined {
  return and(eq(table.projectId, ctx.project.number), ...conditions);
}
