import { sql } from "drizzle-orm";
import { aboveAllIds, firstIdAt, type Id, timeOf } from "../../core/ids";
import { dayMs, minuteMs } from "../../core/time";
import { openBatch } from "../../db/batch";
import { maxRowsPerStatement } from "../../db/limits";
import { asId, asNumber, asText, columns, orNull } from "../../db/rows";
import { inProject } from "../../db/scope";
import { select, statement } from "../../db/statement";
import type { Context } from "../../platform/context";
import { eventsOfContact } from "./of-contact";
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
import { readEvent, type StoredEvent, selectEventsById } from "./stored-event";

/** If the names of a search have at most this many events together, all of them are sorted for each page. */
const maxSorted = maxRowsPerStatement;

/** The maximum number of statements for one page. */
const maxStatements = 10;
/** The maximum number of events that the first statement reads. They are enough for a page when most of them match. */
const firstRows = 1_000;
/** The maximum number of events that each further statement reads. */
const windowRows = maxRowsPerStatement;

/** The maximum number of names whose days are read for one page. */
const maxNamesWithDays = 25;
/** The maximum number of days that are read for each name. */
const maxDays = 1_000;

/** The last day of the year 9999, which is the last year that callers can send. */
const lastDay = 2_932_896;

/**
 * How long after the end of a day an event may happen and still count for that day, in milliseconds. All events of one
 * statement are counted on the same day, even if midnight falls between them.
 */
const overMidnightMs = minuteMs;

/** A request for the next page of a list. */
export interface PageRequest {
  /** The last event of the previous page; null for the first page. */
  after: Id | null;
  limit: number;
}

/** Events of a list, newest first. */
export interface LookBackResult {
  events: StoredEvent[];
  /** The event at which the search stopped early; null when nothing is left after `events`. */
  edge: Id | null;
}

/** A search by names. No index lists the events of several names by time. */
export type SearchByNames = EventSearch & { names: EventNames };

/**
 * Finds events by their names, newest first. If the names are rare, all their events are sorted. If they are frequent,
 * the search reads all events of the days on which one of the names occurred. For a single contact, it reads all events
 * of that contact. The search may stop early.
 */
export async function lookBack(
  ctx: Context,
  search: SearchByNames,
  { after, limit }: PageRequest,
): Promise<LookBackResult> {
  const window = windowOf(search, after);
  if (search.contactId !== undefined) return scan(ctx, search, { windows: [window], floor: null }, limit);
  const known = await knownNames(ctx, search.names);
  if (known.count > maxSorted || known.isCut) {
    return scan(ctx, search, await windowsOf(ctx, known.some, window), limit);
  }
  const ids = sql`SELECT e.id FROM (SELECT name FROM event_names WHERE ${namesOf(ctx, search.names)}) n
    CROSS JOIN events e INDEXED BY ix_events_name ON ${inProject(ctx, "e")} AND e.name = n.name
    WHERE true ${isWithin(sql`e.id`, window)} ORDER BY e.id DESC LIMIT ${limit}`;
  return { events: await select(ctx.db, selectEventsById(ctx, ids), readEvent), edge: null };
}

const readName = columns({ name: asText, day: asNumber, dayCount: asNumber });
type KnownName = ReturnType<typeof readName>;

interface KnownNames {
  /** The first names in alphabetical order, each with the last day on which it occurred. */
  some: KnownName[];
  /** The number of events of all names. */
  count: number;
  /** True when there are more names than were counted. */
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

/** The windows to search, newest first, and the id at which the search ends if not all days were read. */
interface Windows {
  windows: IdWindow[];
  /** The id below which events are left for the next page; null when there are none. */
  floor: Id | null;
}

/**
 * Returns the windows to search: the days on which one of the names occurred. When there are too many names, the whole
 * window is searched instead.
 */
async function windowsOf(ctx: Context, names: KnownName[], window: IdWindow): Promise<Windows> {
  if (names.length > maxNamesWithDays) return { windows: [window], floor: null };
  const latest = window.before === aboveAllIds ? lastDay : Math.floor(timeOf(window.before) / dayMs);
  const earliest = Math.floor(timeOf(window.from) / dayMs);
  const batch = openBatch(ctx);
  const past = names.map(({ name }) =>
    batch.add(
      statement(
        sql`SELECT day FROM event_days WHERE ${inProject(ctx)} AND name = ${name}
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
  const windows = rangesOf(days.filter((day) => firstKnown === null || day >= firstKnown)).map(({ first, last }) => ({
    from: later(window.from, firstIdAt(first * dayMs)),
    before: earlier(window.before, firstIdAt((last + 1) * dayMs + overMidnightMs)),
  }));
  return { windows, floor: firstKnown === null ? null : firstIdAt(firstKnown * dayMs) };
}

/** A range of days on each of which one of the names occurred. */
interface DayRange {
  first: number;
  last: number;
}

/** Merges days into ranges without gaps, newest first. */
function rangesOf(days: number[]): DayRange[] {
  const ranges: DayRange[] = [];
  for (const day of days.toSorted((a, b) => b - a)) {
    const range = ranges.at(-1);
    if (range && day >= range.first - 1) range.first = Math.min(range.first, day);
    else ranges.push({ first: day, last: day });
  }
  return ranges;
}

/** Searches the windows until the page is full. Stops early after a statement that reads `windowRows` rows. */
async function scan(
  ctx: Context,
  search: SearchByNames,
  { windows, floor }: Windows,
  limit: number,
): Promise<LookBackResult> {
  const events: StoredEvent[] = [];
  let rows = firstRows;
  let statements = 0;
  for (const { from, before } of windows) {
    let end: Id | null = before;
    while (end !== null) {
      if (statements === maxStatements) return { events, edge: end };
      const found: LookBackResult = await scanWindow(
        ctx,
        search,
        { from, before: end },
        { rows, limit: limit - events.length },
      );
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
): Promise<LookBackResult> {
  const where = sql`${inProject(ctx)} ${isWithin(sql`id`, window)}`;
  const all =
    contactId === undefined
      ? sql`SELECT id, name FROM events WHERE ${where}`
      : eventsOfContact(sql`id, name`, sql`${where} AND contact_id = ${contactId}`);
  const ids = sql`SELECT id FROM (${all} ORDER BY id DESC LIMIT ${rows})
    WHERE ${names.include(sql`name`)} LIMIT ${limit}`;
  const batch = openBatch(ctx);
  const last = sql`SELECT id FROM (${all} ORDER BY id DESC LIMIT 1 OFFSET ${rows - 1})`;
  const edge = batch.add(statement(last, columns({ id: asId })));
  const events = batch.add(statement(selectEventsById(ctx, ids), readEvent));
  await batch.commit();
  return { events: events.all, edge: edge.first?.id ?? null };
}
