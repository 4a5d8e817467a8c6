import { sql } from "drizzle-orm";
import { aboveAllIds, firstIdAt, type Id, timeOf } from "../../core/ids";
import { dayMs, minuteMs } from "../../core/time";
import { openBatch } from "../../db/batch";
import { maxRowsPerStatement } from "../../db/limits";
import { asId, asNumber, asText, columns, orNull } from "../../db/rows";
import { select, statement } from "../../db/statement";
import type { Context } from "../../platform/context";
import {
  type EventNames,
  type EventSearch,
  earlier,
  type IdWindow,
  isWithin,
  later,
  maxNames,
  namesOf,
  windowOf,
} from "./search";
import { eventsOf, readEvent, type StoredEvent } from "./stored-event";

/** Names of so many events are sorted whole for each page. */
const maxSorted = maxRowsPerStatement;

/** Statements that one page may take. The first looks at few events, which is enough where most of them match. */
const maxStatements = 10;
const firstRows = 1_000;
const windowRows = maxRowsPerStatement;

/** Names whose days are asked for, and days of each that one page may look back over. */
const maxNamesWithDays = 25;
const maxDays = 1_000;

/** In the year 9999, with which dates as we read them end. */
const lastDay = 2_932_896;

/** Events of one statement may come to lie behind the midnight that ends the day on which they are counted. */
const overMidnightMs = minuteMs;

/** What a list asks for next. */
export interface Wanted {
  /** The event that the page before ended with; null for the first page. */
  after: Id | null;
  limit: number;
}

/** Events of a list, newest first. */
export interface Found {
  events: StoredEvent[];
  /** The event at which the look ended early; null when nothing is behind what it found. */
  edge: Id | null;
}

/** A search by names, for which there is no index in the order of time. */
export type SearchByNames = EventSearch & { names: EventNames };

/**
 * Events by their names, newest first. Rare ones are sorted whole. Frequent ones are looked for among all events, on the
 * days on which one of the names happened, and those of a contact among all of that contact's. The look may end early.
 */
export async function lookBack(ctx: Context, search: SearchByNames, { after, limit }: Wanted): Promise<Found> {
  const window = windowOf(search, after);
  if (search.contactId !== undefined) return scan(ctx, search, { windows: [window], floor: null }, limit);
  const known = await knownNames(ctx, search.names);
  if (known.count > maxSorted || known.isCut) {
    return scan(ctx, search, await windowsOf(ctx, known.some, window), limit);
  }
  const ids = sql`SELECT e.id FROM (SELECT name FROM event_names WHERE ${namesOf(ctx, search.names)}) n
    CROSS JOIN events e INDEXED BY ix_events_name ON e.project_id = ${ctx.project.number} AND e.name = n.name
    WHERE true ${isWithin(sql`e.id`, window)} ORDER BY e.id DESC LIMIT ${limit}`;
  return { events: await select(ctx.db, eventsOf(ctx, ids), readEvent), edge: null };
}

const readName = columns({ name: asText, day: asNumber, dayCount: asNumber });
type KnownName = ReturnType<typeof readName>;

interface KnownNames {
  /** The first of the names, with the last day on which each happened. */
  some: KnownName[];
  /** The events of all of them. */
  count: number;
  /** There are more names than were counted. */
  isCut: boolean;
}

async function knownNames(ctx: Context, names: EventNames): Promise<KnownNames> {
  const batch = openBatch(ctx);
  const some = batch.add(
    statement(
      sql`SELECT name, day, day_count FROM event_names WHERE ${namesOf(ctx, names)} LIMIT ${maxNamesWithDays + 1}`,
      readName,
    ),
  );
  const counted = batch.add(
    statement(
      sql`SELECT sum(count) AS count, count(*) AS names
        FROM (SELECT count FROM event_names WHERE ${namesOf(ctx, names)} LIMIT ${maxNames})`,
      columns({ count: orNull(asNumber), names: asNumber }),
    ),
  );
  await batch.commit();
  return { some: some.all, count: counted.one.count ?? 0, isCut: counted.one.names === maxNames };
}

/** Where to look, newest first, and where the knowledge of where to look ends. */
interface Windows {
  windows: IdWindow[];
  /** What is before it is for the next page; null when nothing is. */
  floor: Id | null;
}

/** The windows of the days on which one of the names happened. With too many names, all days count. */
async function windowsOf(ctx: Context, names: KnownName[], window: IdWindow): Promise<Windows> {
  if (names.length > maxNamesWithDays) return { windows: [window], floor: null };
  const latest = window.before === aboveAllIds ? lastDay : Math.floor(timeOf(window.before) / dayMs);
  const earliest = Math.floor(timeOf(window.from) / dayMs);
  const batch = openBatch(ctx);
  const past = names.map(({ name }) =>
    batch.add(
      statement(
        sql`SELECT day FROM event_days WHERE project_id = ${ctx.project.number} AND name = ${name}
          AND day BETWEEN ${earliest} AND ${latest} AND count > 0 ORDER BY day DESC LIMIT ${maxDays}`,
        columns({ day: asNumber }),
      ),
    ),
  );
  await batch.commit();
  const lastDays = names.filter(({ day, dayCount }) => day <= latest && day >= earliest && dayCount > 0);
  const days = [...lastDays, ...past.flatMap(({ all }) => all)].map(({ day }) => day);
  const cutAt = past.flatMap(({ all }) => (all.length === maxDays ? [all.at(-1)?.day ?? 0] : []));
  const firstKnown = cutAt.length === 0 ? null : Math.max(...cutAt);
  const windows = runsOf(days.filter((day) => firstKnown === null || day >= firstKnown)).map(({ first, last }) => ({
    from: later(window.from, firstIdAt(first * dayMs)),
    before: earlier(window.before, firstIdAt((last + 1) * dayMs + overMidnightMs)),
  }));
  return { windows, floor: firstKnown === null ? null : firstIdAt(firstKnown * dayMs) };
}

/** From the first day to the last, on each of which something happened. */
interface Days {
  first: number;
  last: number;
}

/** Days as runs without a gap, newest first. */
function runsOf(days: number[]): Days[] {
  const runs: Days[] = [];
  for (const day of days.toSorted((a, b) => b - a)) {
    const run = runs.at(-1);
    if (run && day >= run.first - 1) run.first = Math.min(run.first, day);
    else runs.push({ first: day, last: day });
  }
  return runs;
}

/** Looks through the windows for as long as the page is not full. After one of full size the look ends early. */
async function scan(ctx: Context, search: SearchByNames, { windows, floor }: Windows, limit: number): Promise<Found> {
  const events: StoredEvent[] = [];
  let rows = firstRows;
  let statements = 0;
  for (const { from, before } of windows) {
    let end: Id | null = before;
    while (end !== null) {
      if (statements === maxStatements) return { events, edge: end };
      const found: Found = await scanWindow(ctx, search, { from, before: end }, { rows, limit: limit - events.length });
      statements++;
      events.push(...found.events);
      if (events.length === limit) return { events, edge: found.edge };
      if (found.edge !== null && rows === windowRows) return { events, edge: found.edge };
      end = found.edge;
      rows = windowRows;
    }
  }
  return { events, edge: floor };
}

async function scanWindow(
  ctx: Context,
  { contactId, names }: SearchByNames,
  window: IdWindow,
  { rows, limit }: { rows: number; limit: number },
): Promise<Found> {
  const source = contactId === undefined ? sql`events` : sql`events INDEXED BY ix_events_contact`;
  const isTheirs = contactId === undefined ? sql`` : sql`AND contact_id = ${contactId}`;
  const all = sql`FROM ${source} WHERE project_id = ${ctx.project.number} ${isTheirs} ${isWithin(sql`id`, window)}`;
  const ids = sql`SELECT id FROM (SELECT id, name ${all} ORDER BY id DESC LIMIT ${rows})
    WHERE ${names.include(sql`name`)} LIMIT ${limit}`;
  const batch = openBatch(ctx);
  const last = sql`SELECT id ${all} ORDER BY id DESC LIMIT 1 OFFSET ${rows - 1}`;
  const edge = batch.add(statement(last, columns({ id: asId })));
  const events = batch.add(statement(eventsOf(ctx, ids), readEvent));
  await batch.commit();
  return { events: events.all, edge: edge.first?.id ?? null };
}
