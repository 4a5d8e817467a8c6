import { sql } from "drizzle-orm";
import { chunksOf } from "../../core/chunks";
import { openBatch } from "../../db/batch";
import { asNumber, asText, columns, orNull } from "../../db/rows";
import { inProject } from "../../db/scope";
import { statement } from "../../db/statement";
import { type Days, sumDays } from "../../engine/events/day-counts";
import type { Context } from "../../platform/context";

/** The maximum number of names in one bound parameter, which D1 limits to 2 MB. */
const namesPerStatement = 1_000;

/**
 * Adds up the stored counts of whole days, by name. If there are too many counts to add up, the last names are missing.
 */
export async function sumNames(ctx: Context, days: Days): Promise<{ name: string; count: number }[]> {
  const { counts } = await sumDays(ctx, days, { keyOf: (name) => name });
  // A day whose events were all deleted counts zero.
  return [...counts].flatMap(([name, count]) => (count > 0 ? [{ name, count }] : []));
}

/**
 * Returns, for each of the named events, how many contacts ever had it, and when it last occurred up to the day `last`.
 */
export async function knownOf(
  ctx: Context,
  names: string[],
  { last }: Days,
): Promise<Map<string, { contacts: number; lastAt: number }>> {
  const batch = openBatch(ctx);
  const chunks = chunksOf(names, namesPerStatement).map((some) =>
    batch.add(
      statement(
        sql`SELECT n.name, n.contacts, CASE WHEN n.day <= ${last} AND n.day_count > 0 THEN n.last_at ELSE (
            SELECT d.last_at FROM event_days d
            WHERE d.project_id = n.project_id AND d.name = n.name AND d.day <= ${last} AND d.count > 0
            ORDER BY d.day DESC LIMIT 1) END AS last_at
          FROM json_each(${JSON.stringify(some)}) r
          CROSS JOIN event_names n ON ${inProject(ctx, "n")} AND n.name = r.value`,
        columns({ name: asText, contacts: asNumber, lastAt: orNull(asNumber) }),
      ),
    ),
  );
  await batch.commit();
  const known = new Map<string, { contacts: number; lastAt: number }>();
  for (const { name, contacts, lastAt } of chunks.flatMap(({ all }) => all)) {
    // Names whose events are being deleted may have none left.
    if (lastAt !== null) known.set(name, { contacts, lastAt });
  }
  return known;
}
