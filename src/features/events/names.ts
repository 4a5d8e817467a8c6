import { sql } from "drizzle-orm";
import { asText, columns } from "../../db/rows";
import { inProject } from "../../db/scope";
import { select } from "../../db/statement";
import { maxNames } from "../../engine/events/search";
import type { Context } from "../../platform/context";

/** The maximum number of names in one answer. */
export const maxNamesShown = 10_000;

/** `GET /events/names`: lists the names of the project's events, most frequent first. */
export async function listEventNames(ctx: Context): Promise<string[]> {
  const rows = await select(
    ctx.db,
    sql`SELECT name FROM (SELECT name, count FROM event_names WHERE ${inProject(ctx)} LIMIT ${maxNames})
      ORDER BY count DESC, name LIMIT ${maxNamesShown}`,
    columns({ name: asText }),
  );
  return rows.map(({ name }) => name);
}
