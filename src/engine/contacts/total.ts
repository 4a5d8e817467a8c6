import { type SQL, sql } from "drizzle-orm";
import { inProject } from "../../db/scope";
import type { Context } from "../../platform/context";

/** Returns SQL for the number of the project's contacts. Batches maintain the count, so reading it costs one row. */
export function totalContacts(ctx: Context): SQL {
  return sql`coalesce((SELECT contacts FROM project_counts WHERE ${inProject(ctx)}), 0)`;
}
