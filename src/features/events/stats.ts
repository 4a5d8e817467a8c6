import { type SQL, sql } from "drizzle-orm";
import type { Span } from "../../core/events/range";
import { firstIdAt, timeOf } from "../../core/ids";
import { iso } from "../../core/time";
import { openBatch } from "../../db/batch";
import { asId, asNumber, asText, columns, orNull } from "../../db/rows";
import { inProject } from "../../db/scope";
import { select, selectOne, statement } from "../../db/statement";
import { daysOf } from "../../engine/events/day-counts";
import { maxCounted } from "../../engine/events/page";
import { maxNames } from "../../engine/events/search";
import type { Context } from "../../platform/context";
import { maxNamesShown } from "./names";
import { knownOf, sumNames } from "./stats-by-day";

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
 * `GET /events/stats`: counts the events by name, most frequent first. Without dates, uses the stored counts, which are
 * exact. If there are dates, counts the events themselves, or, when there are too many events, the whole days that the
 * dates touch.
 */
export async function eventStats(
  ctx: Context,
  { startDate, endDate }: { startDate?: Span; endDate?: Span },
): Promise<EventStats> {
  if (startDate === undefined && endDate === undefined) return lifetimeStats(ctx);
  const range = { from: startDate?.from ?? 0, to: endDate?.to ?? endOfTime };
  return (await isCountable(ctx, range)) ? liveStats(ctx, range) : statsByDay(ctx, range);
}

/** The end of the year 9999. No date that a caller can send is later. */
const endOfTime = 253_402_300_800_000;

async function lifetimeStats(ctx: Context): Promise<EventStats> {
  const names = sql`SELECT * FROM event_names WHERE ${inProject(ctx)} LIMIT ${maxNames}`;
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
    sql`SELECT name, count(*) AS count, count(DISTINCT contact_id) AS contacts, max(id) AS last_id
      FROM ${eventsWithin(ctx, range)} GROUP BY name`,
    columns({ name: asText, count: asNumber, contacts: asNumber, lastId: asId }),
  );
  return mostFrequent(rows.map(({ lastId, ...seen }) => nameStats({ ...seen, lastAt: timeOf(lastId) })));
}

function eventsWithin(ctx: Context, { from, to }: Span): SQL {
  return sql`events
    WHERE ${inProject(ctx)} AND id >= ${firstIdAt(from)} AND id < ${firstIdAt(to)}`;
}

/**
 * Counts whole days from the stored counts. The number of contacts is known only for all time, so it is an upper bound.
 */
async function statsByDay(ctx: Context, range: Span): Promise<EventStats> {
  const days = daysOf(range);
  const counts = await sumNames(ctx, days);
  const { total, data } = mostFrequent(counts);
  const names = data.map(({ name }) => name);
  const known = await knownOf(ctx, names, days);
  return {
    data: data.flatMap(({ name, count }) => {
      const of = known.get(name);
      return of ? [{ name, count, uniqueContacts: Math.min(count, of.contacts), lastAt: iso(of.lastAt) }] : [];
    }),
    total,
    ...approximately(ctx),
  };
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
