import { type SQL, sql } from "drizzle-orm";
import type { Id } from "../../core/ids";
import { dayMs } from "../../core/time";
import { openBatch } from "../../db/batch";
import { maxRowsPerStatement } from "../../db/limits";
import { asFlag, asNumber, columns, orNull } from "../../db/rows";
import { inProject } from "../../db/scope";
import { type Statement, statement } from "../../db/statement";
import type { Context } from "../../platform/context";
import { daysOf, sumDays } from "./day-counts";
import { joinEmailOfEvent } from "./email-data";
import { type LookBackResult, lookBack, type PageRequest } from "./look-back";
import { eventsOfContact } from "./of-contact";
import { type EventSearch, isWithin, maxNames, namesOf, windowOf } from "./search";
import { eventColumns, readEvent, type StoredEvent, selectEventsById } from "./stored-event";

/** The maximum number of events that one statement counts. */
export const maxCounted = maxRowsPerStatement;

export interface PageOfEvents {
  events: StoredEvent[];
  /** The next page's `after`; null when this is the last page. */
  next: Id | null;
  /** The number of events in the list. It is counted for the first page only, and is 0 on the other pages. */
  total: number;
  isApproximate: boolean;
}

/**
 * Returns a page of the event log, newest first, with at most `limit` events. Ids are in commit order, and a page
 * starts after an id, so events that are added or deleted meanwhile neither repeat nor hide other events.
 */
export async function pageOfEvents(
  ctx: Context,
  search: EventSearch,
  { after, limit }: PageRequest,
): Promise<PageOfEvents> {
  const { names } = search;
  const request: PageRequest = { after, limit: limit + 1 };
  const isInOrder = names === undefined || isByIndex(search);
  const batch = openBatch(ctx);
  const page = isInOrder ? batch.add(selectPage(ctx, search, request)) : null;
  const counted = after === null ? batch.add(selectCount(ctx, search)) : null;
  await batch.commit();
  const found: LookBackResult = isInOrder
    ? { events: page?.all ?? [], edge: null }
    : await lookBack(ctx, { ...search, names }, request);
  const events = found.events.slice(0, limit);
  const next = found.events.length > limit ? (events.at(-1)?.row.id ?? null) : found.edge;
  const { total, isApproximate } = counted ? await totalOf(ctx, search, counted.one) : notCounted;
  return { events, next, total, isApproximate };
}

const notCounted = { total: 0, isApproximate: false };

function selectPage(ctx: Context, search: EventSearch, { after, limit }: PageRequest): Statement<StoredEvent> {
  if (isOfContact(search)) {
    const ids = eventsOfContact(sql`id`, isMatch(ctx, search, after));
    return statement(selectEventsById(ctx, sql`${ids} ORDER BY id DESC LIMIT ${limit}`), readEvent);
  }
  return statement(
    sql`SELECT ${eventColumns} FROM events e ${indexFor(search)}
      LEFT JOIN contacts c ON c.project_id = e.project_id AND c.id = e.contact_id ${joinEmailOfEvent}
      WHERE ${isMatch(ctx, search, after, "e")} ORDER BY e.id DESC LIMIT ${limit}`,
    readEvent,
  );
}

interface EventCount {
  total: number | null;
  /** True when there are more events than were counted. */
  isCut: boolean;
}

const readCount = columns({ total: orNull(asNumber), isCut: asFlag });

/**
 * Counts the events of a list. If the search has no contact and no dates, the stored counts are exact. Otherwise the
 * events themselves are counted, up to a bound.
 */
function selectCount(ctx: Context, search: EventSearch): Statement<EventCount> {
  const { names, contactId, during } = search;
  if (contactId !== undefined || during !== undefined) {
    const isOne = names === undefined || isByIndex(search) ? sql`1` : names.include(sql`name`);
    const [columns, where] = [sql`${isOne} AS is_one`, isMatch(ctx, search, null)];
    const all = isOfContact(search)
      ? eventsOfContact(columns, where)
      : sql`SELECT ${columns} FROM events ${indexFor(search)} WHERE ${where}`;
    const seen = sql`${all} LIMIT ${maxCounted + 1}`;
    return statement(
      sql`SELECT min(sum(is_one), ${maxCounted}) AS total, count(*) > ${maxCounted} AS is_cut FROM (${seen})`,
      readCount,
    );
  }
  const isNamed = names ? namesOf(ctx, names) : sql`${inProject(ctx)}`;
  return statement(
    sql`SELECT sum(count) AS total, count(*) = ${maxNames} AS is_cut
      FROM (SELECT count FROM event_names WHERE ${isNamed} LIMIT ${maxNames})`,
    readCount,
  );
}

/**
 * Returns the number of events in the list. When dates are given and there are too many events to count, the stored
 * counts of all days that the dates touch are added up instead.
 */
async function totalOf(ctx: Context, search: EventSearch, { total, isCut }: EventCount) {
  const { names, contactId, during } = search;
  if (!isCut || contactId !== undefined || during === undefined) return { total: total ?? 0, isApproximate: isCut };
  const days = daysOf(during);
  const areWhole = during.from % dayMs === 0 && during.to % dayMs === 0;
  const summed = await sumDays(ctx, days, { names, keyOf: () => sql`''` });
  return { total: summed.counts.get("") ?? 0, isApproximate: !areWhole || summed.isCut };
}

/** Whether the search is for a contact's events of a single name. An index lists these events by time. */
function isByIndex({ names, contactId }: EventSearch): boolean {
  return contactId !== undefined && names !== undefined && names.only !== null;
}

/** Whether the search goes through a contact's events by time, and keeps only those with the right names. */
function isOfContact(search: EventSearch): boolean {
  return search.contactId !== undefined && !isByIndex(search);
}

/**
 * Returns a hint to use the index that lists exactly the events of the search, if there is one. A page then reads no
 * other events.
 */
function indexFor(search: EventSearch): SQL {
  return isByIndex(search) ? sql`INDEXED BY ix_events_name` : sql``;
}

function isMatch(ctx: Context, search: EventSearch, after: Id | null, table: "e" | "events" = "events"): SQL {
  const { names, contactId } = search;
  const column = (name: string) => sql.raw(`${table}.${name}`);
  const isTheirs = contactId === undefined ? sql`` : sql`AND ${column("contact_id")} = ${contactId}`;
  const isNamed = names && isByIndex(search) ? sql`AND ${names.include(column("name"))}` : sql``;
  return sql`${inProject(ctx, table)} ${isNamed} ${isTheirs} ${isWithin(column("id"), windowOf(search, after))}`;
}
