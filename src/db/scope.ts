import { type AnyColumn, and, eq, type SQL } from "drizzle-orm";

/** The tenant condition. Every query on a project's rows carries it. */
export function inProject(
  table: { projectId: AnyColumn },
  ctx: { project: { number: number } },
  ...conditions: (SQL | undefined)[]
): SQL | undefined {
  return and(eq(table.projectId, ctx.project.number), ...conditions);
}
