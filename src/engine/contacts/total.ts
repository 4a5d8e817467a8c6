import { type SQL, sql } from "drizzle-orm";
import type { Context } from "../../platform/context";

/** How many contacts the project has, in SQL. Batches keep the figure, so that to ask for it costs one row. */
export function totalContacts(ctx: Context): SQL {
  return sql`coalesce((SELECT contacts FROM project_counts WHERE project_id = ${ctx.project.number}), 0)`;
}
