import { type SQL, sql } from "drizzle-orm";
import type { Id } from "../../core/ids";
import { dayMs } from "../../core/time";
import { openBatch } from "../../db/batch";
import { maxRowsPerStatement } from "../../db/limits";
import { asFlag, asNumber, columns, orNull } from "../../db/rows";
import { type Statement, statement } from "../../db/statement";
import type { Context } from "../../platform/context";
import { daysOf, sumDays } from "./day-counts";
import { joinEmailOfEvent } from "./email-data";
import { type Found, lookBack, type Wanted } from "./look-back";
import { type EventSearch, isWithin, maxNames, namesOf, windowOf } from "./search";
import { eventColumns, readEvent, type StoredEvent } from "./stored-event";

/** One statement counts no more events than this. */
export const maxCounted = maxRowsPerStatement;

export interface PageOfEvents {
  events: StoredEvent[];
  /** What the next page asks for in `after`; null when this is the last one. */
  next: Id | null;
  /** Counted for the first page only. */
  total: number;
  isApproximate: boolean;
}

/**
 * A page of the event log, newest first, at most `limit`. The order of ids is that of the commits, and a page begins
 * behind an id: so events that are written meanwhile, or that go, neither repeat nor hide another one.
 */
export async function pageOfEvents(ctx: Context, search: EventSearch, { after, limit }: Wanted): Promise<PageOfEvents> {
  const { names } = search;
  const wanted: Wanted = { after, limit: limit + 1 };
  const isInOrder = names === undefined || isByIndex(search);
  const batch = openBatch(ctx);
  const page = isInOrder ? batch.add(selectPage(ctx, search, wanted)) : null;
  const counted = after === null ? batch.add(selectCount(ctx, search)) : null;
  await batch.commit();
  const found: Found = isInOrder
    ? { events: page?.all ?? [], edge: null }
    : await lookBack(ctx, { ...search, names }, wanted);
  const events = found.events.slice(0, limit);
  const next = found.events.length > limit ? (events.at(-1)?.row.id ?? null) : found.edge;
  const { total, isApproximate } = counted ? await totalOf(ctx, search, counted.one) : notCounted;
  return { events, next, total, isApproximate };
}

const notCounted = { total: 0, isApproximate: false };

function selectPage(ctx: Context, search: EventSearch, { after, limit }: Wanted): Statement<StoredEvent> {
  return statement(
    sql`SELECT ${eventColumns} FROM events e ${indexFor(search)}
      LEFT JOIN contacts c ON c.project_id = e.project_id AND c.id = e.contact_id ${joinEmailOfEvent}
      WHERE ${isMatch(ctx, search, after)} ORDER BY e.id DESC LIMIT ${limit}`,
    readEvent,
  );
}

interface Count {
  total: number | null;
  /** There are more than were counted. */
  isCut: boolean;
}

const readCount = columns({ total: orNull(asNumber), isCut: asFlag });

/** By names, or of all events, from the kept counts, which are exact; of a contact or within dates live, up to a bound. */
function selectCount(ctx: Context, search: EventSearch): Statement<Count> {
  const { names, contactId, during } = search;
  if (contactId !== undefined || during !== undefined) {
    const isOne = names === undefined || isByIndex(search) ? sql`1` : names.include(sql`e.name`);
    const seen = sql`SELECT ${isOne} AS is_one FROM events e ${indexFor(search)} WHERE ${isMatch(ctx, search, null)}
      LIMIT ${maxCounted + 1}`;
    return statement(
      sql`SELECT min(sum(is_one), ${maxCounted}) AS total, count(*) > ${maxCounted} AS is_cut FROM (${seen})`,
      readCount,
    );
  }
  const isNamed = names ? namesOf(ctx, names) : sql`project_id = ${ctx.project.number}`;
  return statement(
    sql`SELECT sum(count) AS total, count(*) = ${maxNames} AS is_cut
      FROM (SELECT count FROM event_names WHERE ${isNamed} LIMIT ${maxNames})`,
    readCount,
  );
}

/** Within dates, more events than are counted are those of the whole days that the dates touch. */
async function totalOf(ctx: Context, search: EventSearch, { total, isCut }: Count) {
  const { names, contactId, during } = search;
  if (!isCut || contactId !== undefined || during === undefined) return { total: total ?? 0, isApproximate: isCut };
  const days = daysOf(during);
  const areWhole = during.from % dayMs === 0 && during.to % dayMs === 0;
  const summed = await sumDays(ctx, days, { names, keyOf: () => sql`''` });
  return { total: summed.counts.get("") ?? 0, isApproximate: !areWhole || summed.isCut };
}

/** A single name of a contact has an index in the order of the list. */
function isByIndex({ names, contactId }: EventSearch): boolean {
  return contactId !== undefined && names !== undefined && names.only !== null;
}

/** What holds just these events in the order of the list, so that no page looks at others. All of them are in the key. */
function indexFor(search: EventSearch): SQL {
  if (search.contactId === undefined) return sql``;
  return isByIndex(search) ? sql`INDEXED BY ix_events_name` : sql`INDEXED BY ix_events_contact`;
}

function isMatch(ctx: Context, search: EventSearch, after: Id | null): SQL {
  const { names, contactId } = search;
  const isOfContact = contactId === undefined ? sql`` : sql`AND e.contact_id = ${contactId}`;
  const isNamed = names && isByIndex(search) ? sql`AND ${names.include(sql`e.name`)}` : sql``;
  return sql`e.project_id = ${ctx.project.number} ${isNamed} ${isOfContact} ${isWithin(sql`e.id`, windowOf(search, after))}`;
}
