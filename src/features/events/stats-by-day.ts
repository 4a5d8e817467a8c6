import { type SQL, sql } from "drizzle-orm";
import { chunksOf } from "../../core/chunks";
import { openBatch } from "../../db/batch";
import { maxRowsPerStatement } from "../../db/limits";
import { asNumber, asText, columns, orNull } from "../../db/rows";
import { select, statement } from "../../db/statement";
import type { Context } from "../../platform/context";
import { maxNames } from "./names";

/** Rows of days that one statement adds up, and how many such statements one answer may take. */
const daysPerStatement = maxRowsPerStatement;
const maxStatements = 20;
/** Names that travel in one parameter, which may be 2 MB. */
const namesPerStatement = 1_000;

/** Days since 1970, both included. */
export interface Days {
  first: number;
  last: number;
}

/**
 * By name: the days that are over, and the last day of each name, which stands with it. They are added up name after
 * name; the last names are left out when there are too many.
 */
export async function sumDays(ctx: Context, { first, last }: Days): Promise<{ name: string; count: number }[]> {
  const batch = openBatch(ctx);
  const lastDays = batch.add(
    statement(
      sql`SELECT name, day_count AS count FROM event_names
        WHERE project_id = ${ctx.project.number} AND name <= ${lastName(ctx)} AND day BETWEEN ${first} AND ${last}
          AND day_count > 0`,
      columns({ name: asText, count: asNumber }),
    ),
  );
  await batch.commit();
  const counts = new Map(lastDays.all.map(({ name, count }) => [name, count]));
  let after: { name: string; day: number } | null = { name: "", day: last };
  for (let statements = 0; after !== null && statements < maxStatements; statements++) {
    const sums: SummedDays[] = await sumSomeDays(ctx, { first, last }, after);
    for (const { name, count } of sums) counts.set(name, (counts.get(name) ?? 0) + count);
    const edge = sums.at(-1);
    after = edge && edge.looked === daysPerStatement ? { name: edge.name, day: edge.lastDay } : null;
  }
  // A day whose events were deleted counts nothing.
  return [...counts].flatMap(([name, count]) => (count > 0 ? [{ name, count }] : []));
}

const readSum = columns({ name: asText, count: asNumber, lastDay: asNumber, looked: asNumber });
type SummedDays = ReturnType<typeof readSum>;

/** The next days behind one, in the order of names, then days. Each sum says how many rows the statement looked at. */
function sumSomeDays(ctx: Context, { first, last }: Days, after: { name: string; day: number }): Promise<SummedDays[]> {
  return select(
    ctx.db,
    sql`WITH some AS MATERIALIZED (SELECT n.name, d.day, d.count FROM event_names n
        CROSS JOIN event_days d ON d.project_id = n.project_id AND d.name = n.name
          AND d.day BETWEEN iif(n.name = ${after.name}, max(${first}, ${after.day + 1}), ${first}) AND ${last}
        WHERE n.project_id = ${ctx.project.number} AND n.name >= ${after.name} AND n.name <= ${lastName(ctx)}
        ORDER BY n.name, d.day LIMIT ${daysPerStatement})
      SELECT name, sum(count) AS count, max(day) AS last_day, (SELECT count(*) FROM some) AS looked
      FROM some GROUP BY name ORDER BY name`,
    readSum,
  );
}

/** The last of the names that are looked at. */
function lastName(ctx: Context): SQL {
  return sql`coalesce((SELECT name FROM event_names WHERE project_id = ${ctx.project.number}
    ORDER BY name LIMIT 1 OFFSET ${maxNames - 1}), char(0x10ffff))`;
}

/** How many contacts ever had each of these events, and when it last happened up to the last of the days. */
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
          CROSS JOIN event_names n ON n.project_id = ${ctx.project.number} AND n.name = r.value`,
        columns({ name: asText, contacts: asNumber, lastAt: orNull(asNumber) }),
      ),
    ),
  );
  await batch.commit();
  const known = new Map<string, { contacts: number; lastAt: number }>();
  for (const { name, contacts, lastAt } of chunks.flatMap(({ all }) => all)) {
    // Names whose events are being deleted right now may have none left.
    if (lastAt !== null) known.set(name, { contacts, lastAt });
  }
  return known;
}
