import { type SQL, sql } from "drizzle-orm";
import { chunksOf } from "../../core/chunks";
import type { Span } from "../../core/events/range";
import { firstIdAt } from "../../core/ids";
import { dayMs, iso } from "../../core/time";
import { commit, query, statement } from "../../db/commit";
import { mostRowsPerStatement } from "../../db/limits";
import type { Context } from "../../platform/context";
import { mostCounted } from "./list";
import { mostNames, mostNamesShown } from "./names";

interface NameStats {
  name: string;
  count: number;
  uniqueContacts: number;
  lastAt: string;
}

export interface EventStats {
  data: NameStats[];
  total: number;
  approximate?: true;
  countedAt?: string;
}

/**
 * `GET /events/stats`: how often each event happened, most frequent first. Over all time from the kept counts, which are
 * exact. Within dates it counts the events themselves, up to a bound, and else the whole days that the dates touch.
 */
export async function eventStats(
  ctx: Context,
  { startDate, endDate }: { startDate?: Span; endDate?: Span },
): Promise<EventStats> {
  if (startDate === undefined && endDate === undefined) return lifetimeStats(ctx);
  const range = { from: startDate?.from ?? 0, to: endDate?.to ?? endOfTime };
  return (await isCountable(ctx, range)) ? liveStats(ctx, range) : statsByDay(ctx, range);
}

/** The end of the year 9999, with which dates as we read them end. */
const endOfTime = 253_402_300_800_000;

async function lifetimeStats(ctx: Context): Promise<EventStats> {
  const names = sql`SELECT * FROM event_names WHERE project_id = ${ctx.project.id} LIMIT ${mostNames}`;
  const [rows = [], [counted] = []] = await commit(ctx.db, [
    statement(
      ctx.db,
      sql`SELECT name, count, contacts, last_at FROM (${names}) ORDER BY count DESC, name LIMIT ${mostNamesShown}`,
    ),
    statement(ctx.db, sql`SELECT sum(count) AS total, count(*) AS names FROM (${names})`),
  ]);
  return {
    data: rows.map(nameStats),
    total: Number(counted?.total ?? 0),
    ...(counted?.names === mostNames ? approximately(ctx) : {}),
  };
}

async function isCountable(ctx: Context, range: Span): Promise<boolean> {
  const [row] = await query(
    ctx.db,
    sql`SELECT count(*) AS n FROM (SELECT 1 FROM ${eventsWithin(ctx, range)} LIMIT ${mostCounted + 1})`,
  );
  return Number(row?.n) <= mostCounted;
}

async function liveStats(ctx: Context, range: Span): Promise<EventStats> {
  const rows = await query(
    ctx.db,
    sql`SELECT s.name, s.count, s.contacts, last.created_at AS last_at
      FROM (SELECT name, count(*) AS count, count(DISTINCT contact_id) AS contacts, max(id) AS last_id
        FROM ${eventsWithin(ctx, range)} GROUP BY name) s
      CROSS JOIN events last ON last.id = s.last_id`,
  );
  return mostFrequent(rows.map(nameStats));
}

function eventsWithin(ctx: Context, { from, to }: Span): SQL {
  return sql`events INDEXED BY ix_events_project
    WHERE project_id = ${ctx.project.id} AND id >= ${firstIdAt(from)} AND id < ${firstIdAt(to)}`;
}

/** Rows of days that one statement adds up, and how many such statements one answer may take. */
const daysPerStatement = mostRowsPerStatement;
const mostStatements = 20;
/** Names that travel in one parameter, which may be 2 MB. */
const namesPerStatement = 1_000;

/** From the kept counts of whole days. How many contacts they were is only known of all time. */
async function statsByDay(ctx: Context, range: Span): Promise<EventStats> {
  const days = { first: Math.floor(range.from / dayMs), last: Math.floor((range.to - 1) / dayMs) };
  const counts = await sumDays(ctx, days);
  const { total, data } = mostFrequent([...counts].map(([name, count]) => ({ name, count })));
  const names = data.map(({ name }) => name);
  const known = await knownOf(ctx, names, (days.last + 1) * dayMs);
  return {
    data: data.flatMap(({ name, count }) => {
      const of = known.get(name);
      return of ? [{ name, count, uniqueContacts: Math.min(count, of.contacts), lastAt: iso(of.lastAt) }] : [];
    }),
    total,
    ...approximately(ctx),
  };
}

/** By name. Newest first, as the oldest days are left out when there are too many. */
async function sumDays(ctx: Context, { first, last }: { first: number; last: number }): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  let before: { day: number; name: string } | null = { day: last + 1, name: "" };
  for (let statements = 0; before !== null && statements < mostStatements; statements++) {
    const days = sql`SELECT day, name, count FROM event_days
      WHERE project_id = ${ctx.project.id} AND day >= ${first} AND (day, name) < (${before.day}, ${before.name})
      ORDER BY day DESC, name DESC`;
    const rows = await commit(ctx.db, [
      statement(ctx.db, sql`SELECT name, sum(count) AS count FROM (${days} LIMIT ${daysPerStatement}) GROUP BY name`),
      statement(ctx.db, sql`SELECT day, name FROM (${days}) LIMIT 1 OFFSET ${daysPerStatement - 1}`),
    ]);
    const [sums = [], [edge] = []] = rows;
    for (const { name, count } of sums) counts.set(String(name), (counts.get(String(name)) ?? 0) + Number(count));
    before = edge ? { day: Number(edge.day), name: String(edge.name) } : null;
  }
  return counts;
}

/** How many contacts ever had each of these events, and when it last happened before that time. */
async function knownOf(
  ctx: Context,
  names: string[],
  before: number,
): Promise<Map<string, { contacts: number; lastAt: number }>> {
  const statements = chunksOf(names, namesPerStatement).map((some) =>
    statement(
      ctx.db,
      sql`SELECT n.name, n.contacts, (SELECT e.created_at FROM events e INDEXED BY ix_events_name
          WHERE e.project_id = n.project_id AND e.name = n.name AND e.id < ${firstIdAt(before)}
          ORDER BY e.id DESC LIMIT 1) AS last_at
        FROM json_each(${JSON.stringify(some)}) r
        CROSS JOIN event_names n ON n.project_id = ${ctx.project.id} AND n.name = r.value`,
    ),
  );
  const rows = statements.length === 0 ? [] : (await commit(ctx.db, statements)).flat();
  // Names whose events are being deleted right now may have none left.
  const there = rows.filter((row) => row.last_at !== null);
  return new Map(
    there.map((row) => [String(row.name), { contacts: Number(row.contacts), lastAt: Number(row.last_at) }]),
  );
}

function nameStats(row: Record<string, unknown>): NameStats {
  return {
    name: String(row.name),
    count: Number(row.count),
    uniqueContacts: Number(row.contacts),
    lastAt: iso(Number(row.last_at)),
  };
}

function mostFrequent<T extends { name: string; count: number }>(all: T[]): { data: T[]; total: number } {
  const sorted = all.toSorted((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1));
  return { data: sorted.slice(0, mostNamesShown), total: all.reduce((sum, { count }) => sum + count, 0) };
}

function approximately(ctx: Context) {
  return { approximate: true as const, countedAt: ctx.now.toISOString() };
}
