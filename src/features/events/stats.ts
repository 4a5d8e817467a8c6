import { type SQL, sql } from "drizzle-orm";
import { chunksOf } from "../../core/chunks";
import type { Span } from "../../core/events/range";
import { firstIdAt } from "../../core/ids";
import { dayMs, iso } from "../../core/time";
import { openBatch } from "../../db/batch";
import { maxRowsPerStatement } from "../../db/limits";
import { asNumber, asText, columns, orNull } from "../../db/rows";
import { select, selectOne, statement } from "../../db/statement";
import type { Context } from "../../platform/context";
import { maxCounted } from "./list";
import { maxNames, maxNamesShown } from "./names";

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

const readSeen = columns({ name: asText, count: asNumber, contacts: asNumber, lastAt: asNumber });

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
  const names = sql`SELECT * FROM event_names WHERE project_id = ${ctx.project.id} LIMIT ${maxNames}`;
  const batch = openBatch(ctx);
  const shown = batch.add(
    statement(
      sql`SELECT name, count, contacts, last_at FROM (${names}) ORDER BY count DESC, name LIMIT ${maxNamesShown}`,
      readSeen,
    ),
  );
  const counted = batch.add(
    statement(
      sql`SELECT sum(count) AS total, count(*) AS names FROM (${names})`,
      columns({ total: orNull(asNumber), names: asNumber }),
    ),
  );
  await batch.commit();
  return {
    data: shown.all.map(nameStats),
    total: counted.one.total ?? 0,
    ...(counted.one.names === maxNames ? approximately(ctx) : {}),
  };
}

async function isCountable(ctx: Context, range: Span): Promise<boolean> {
  const { seen } = await selectOne(
    ctx.db,
    sql`SELECT count(*) AS seen FROM (SELECT 1 FROM ${eventsWithin(ctx, range)} LIMIT ${maxCounted + 1})`,
    columns({ seen: asNumber }),
  );
  return seen <= maxCounted;
}

async function liveStats(ctx: Context, range: Span): Promise<EventStats> {
  const rows = await select(
    ctx.db,
    sql`SELECT s.name, s.count, s.contacts, last.created_at AS last_at
      FROM (SELECT name, count(*) AS count, count(DISTINCT contact_id) AS contacts, max(id) AS last_id
        FROM ${eventsWithin(ctx, range)} GROUP BY name) s
      CROSS JOIN events last ON last.id = s.last_id`,
    readSeen,
  );
  return mostFrequent(rows.map(nameStats));
}

function eventsWithin(ctx: Context, { from, to }: Span): SQL {
  return sql`events INDEXED BY ix_events_project
    WHERE project_id = ${ctx.project.id} AND id >= ${firstIdAt(from)} AND id < ${firstIdAt(to)}`;
}

/** Rows of days that one statement adds up, and how many such statements one answer may take. */
const daysPerStatement = maxRowsPerStatement;
const maxStatements = 20;
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
  for (let statements = 0; before !== null && statements < maxStatements; statements++) {
    const days: SQL = sql`SELECT day, name, count FROM event_days
      WHERE project_id = ${ctx.project.id} AND day >= ${first} AND (day, name) < (${before.day}, ${before.name})
      ORDER BY day DESC, name DESC`;
    const batch = openBatch(ctx);
    const sums = batch.add(
      statement(
        sql`SELECT name, sum(count) AS count FROM (${days} LIMIT ${daysPerStatement}) GROUP BY name`,
        columns({ name: asText, count: asNumber }),
      ),
    );
    const edge = batch.add(
      statement(
        sql`SELECT day, name FROM (${days}) LIMIT 1 OFFSET ${daysPerStatement - 1}`,
        columns({ day: asNumber, name: asText }),
      ),
    );
    await batch.commit();
    for (const { name, count } of sums.all) counts.set(name, (counts.get(name) ?? 0) + count);
    before = edge.first ?? null;
  }
  return counts;
}

/** How many contacts ever had each of these events, and when it last happened before that time. */
async function knownOf(
  ctx: Context,
  names: string[],
  before: number,
): Promise<Map<string, { contacts: number; lastAt: number }>> {
  const batch = openBatch(ctx);
  const chunks = chunksOf(names, namesPerStatement).map((some) =>
    batch.add(
      statement(
        sql`SELECT n.name, n.contacts, (SELECT e.created_at FROM events e INDEXED BY ix_events_name
          WHERE e.project_id = n.project_id AND e.name = n.name AND e.id < ${firstIdAt(before)}
          ORDER BY e.id DESC LIMIT 1) AS last_at
        FROM json_each(${JSON.stringify(some)}) r
        CROSS JOIN event_names n ON n.project_id = ${ctx.project.id} AND n.name = r.value`,
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

function nameStats({ name, count, contacts, lastAt }: ReturnType<typeof readSeen>): NameStats {
  return { name, count, uniqueContacts: contacts, lastAt: iso(lastAt) };
}

function mostFrequent<T extends { name: string; count: number }>(all: T[]): { data: T[]; total: number } {
  const sorted = all.toSorted((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1));
  return { data: sorted.slice(0, maxNamesShown), total: all.reduce((sum, { count }) => sum + count, 0) };
}

function approximately(ctx: Context) {
  return { approximate: true as const, countedAt: ctx.now.toISOString() };
}
