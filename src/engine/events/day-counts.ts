import { type SQL, sql } from "drizzle-orm";
import type { Span } from "../../core/events/range";
import { dayMs } from "../../core/time";
import { openBatch } from "../../db/batch";
import { maxRowsPerStatement } from "../../db/limits";
import { asNumber, asText, columns } from "../../db/rows";
import { inProject } from "../../db/scope";
import { select, statement } from "../../db/statement";
import type { Context } from "../../platform/context";
import { type EventNames, maxNames } from "./search";

/** The maximum number of day rows that one statement adds up. */
const daysPerStatement = maxRowsPerStatement;
/** The maximum number of statements that add up days for one answer. */
const maxStatements = 20;

/** Days since 1970, both included. */
export interface Days {
  first: number;
  last: number;
}

/** Returns the days that a span of time touches. */
export function daysOf({ from, to }: Span): Days {
  return { first: Math.floor(from / dayMs), last: Math.floor((to - 1) / dayMs) };
}

interface DaySumQuery {
  /** The names to count. If absent, all names are counted. */
  names?: EventNames | undefined;
  /** Returns SQL for the group in which a name's count of a day is added up. */
  keyOf(name: SQL, day: SQL): SQL;
}

export interface DaySums {
  counts: Map<string, number>;
  /**
   * Whether the result is incomplete, because one answer cannot add up all days and names. If so, the counts of the
   * last names are missing.
   */
  isCut: boolean;
}

/**
 * Adds up the stored counts of whole days by key. Past days have rows of their own; the last day of each name is in the
 * row of the name. Rows are read in the order of names.
 */
export async function sumDays(ctx: Context, { first, last }: Days, query: DaySumQuery): Promise<DaySums> {
  const batch = openBatch(ctx);
  const lastDays = batch.add(
    statement(
      sql`SELECT ${query.keyOf(sql`n.name`, sql`n.day`)} AS key, sum(n.day_count) AS count FROM event_names n
        WHERE ${matchesQuery(ctx, query)} AND n.day BETWEEN ${first} AND ${last} AND n.day_count > 0 GROUP BY 1`,
      columns({ key: asText, count: asNumber }),
    ),
  );
  const names = batch.add(
    statement(
      sql`SELECT count(*) > ${maxNames} AS is_cut
        FROM (SELECT 1 FROM event_names WHERE ${inProject(ctx)} LIMIT ${maxNames + 1})`,
      columns({ isCut: asNumber }),
    ),
  );
  await batch.commit();
  const counts = new Map(lastDays.all.map(({ key, count }) => [key, count]));
  let after: DayCursor | null = { name: "", day: last };
  for (let statements = 0; after !== null && statements < maxStatements; statements++) {
    const sums: SummedDays[] = await sumNextDays(ctx, { first, last }, query, after);
    for (const { key, count } of sums) counts.set(key, (counts.get(key) ?? 0) + count);
    const [sum] = sums;
    after = sum && sum.looked === daysPerStatement ? { name: sum.lastName, day: sum.lastDay } : null;
  }
  return { counts, isCut: after !== null || names.one.isCut === 1 };
}

interface DayCursor {
  name: string;
  day: number;
}

const readSum = columns({ key: asText, count: asNumber, looked: asNumber, lastName: asText, lastDay: asNumber });
type SummedDays = ReturnType<typeof readSum>;

/**
 * Adds up the next days after the cursor, in the order of names, then days. Each row also contains the position at
 * which the statement stopped.
 */
function sumNextDays(ctx: Context, { first, last }: Days, query: DaySumQuery, after: DayCursor): Promise<SummedDays[]> {
  return select(
    ctx.db,
    sql`WITH some AS MATERIALIZED (SELECT n.name, d.day, d.count FROM event_names n
        CROSS JOIN event_days d ON d.project_id = n.project_id AND d.name = n.name
          AND d.day BETWEEN iif(n.name = ${after.name}, max(${first}, ${after.day + 1}), ${first}) AND ${last}
        WHERE ${matchesQuery(ctx, query)} AND n.name >= ${after.name}
        ORDER BY n.name, d.day LIMIT ${daysPerStatement}),
        edge AS MATERIALIZED (SELECT name, day FROM some ORDER BY name DESC, day DESC LIMIT 1)
      SELECT ${query.keyOf(sql`some.name`, sql`some.day`)} AS key, sum(some.count) AS count,
        (SELECT count(*) FROM some) AS looked, (SELECT name FROM edge) AS last_name, (SELECT day FROM edge) AS last_day
      FROM some GROUP BY 1`,
    readSum,
  );
}

/** Matches the rows of `event_names` that the query asks for, among the first `maxNames` names of the project. */
function matchesQuery(ctx: Context, { names }: DaySumQuery): SQL {
  const lastName = sql`coalesce((SELECT name FROM event_names WHERE ${inProject(ctx)}
    ORDER BY name LIMIT 1 OFFSET ${maxNames - 1}), char(0x10ffff))`;
  const isNamed = names ? sql`AND ${names.include(sql`n.name`)}` : sql``;
  return sql`${inProject(ctx, "n")} AND n.name <= ${lastName} ${isNamed}`;
}
