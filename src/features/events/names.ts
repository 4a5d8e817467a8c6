import { sql } from "drizzle-orm";
import { query } from "../../db/commit";
import { mostRowsPerStatement } from "../../db/limits";
import type { Context } from "../../platform/context";

/** Names that one statement looks at. A project has dozens; one that makes them up as it goes is not told them all. */
export const mostNames = mostRowsPerStatement;

/** Names that one answer holds. */
export const mostNamesShown = 10_000;

/** `GET /events/names`: what the project's events are called, most frequent first. */
export async function listEventNames(ctx: Context): Promise<string[]> {
  const rows = await query(
    ctx.db,
    sql`SELECT name FROM (SELECT name, count FROM event_names WHERE project_id = ${ctx.project.id} LIMIT ${mostNames})
      ORDER BY count DESC, name LIMIT ${mostNamesShown}`,
  );
  return rows.map(({ name }) => String(name));
}
