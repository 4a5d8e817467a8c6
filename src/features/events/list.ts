import { type SQL, sql } from "drizzle-orm";
import { asId, type Id, textOf } from "../../core/ids";
import { ById, type Page, readCursor, writeCursor } from "../../core/page";
import { openBatch } from "../../db/batch";
import { maxRowsPerStatement } from "../../db/limits";
import { asFlag, asNumber, columns, orNull } from "../../db/rows";
import { type Statement, statement } from "../../db/statement";
import { getContact } from "../../engine/contacts/contact";
import { joinEmailOfEvent } from "../../engine/events/email-data";
import type { Context } from "../../platform/context";
import { type Event, eventColumns, eventJson, readEvent } from "./event";
import { listByName, type Wanted } from "./list-by-name";
import { maxNames } from "./names";
import type { EventFilters } from "./schema";

type EventPage = Page<ReturnType<typeof eventJson>>;

/** One statement counts no more events than this. */
export const maxCounted = maxRowsPerStatement;

/** A page of events, newest first. Throws BadRequest on a cursor that is not of this list. */
export async function listEvents(
  ctx: Context,
  search: EventFilters & { cursor?: string; limit: number },
): Promise<EventPage> {
  const { cursor, limit, name, contactId } = search;
  const filters = { name, contactId: contactId && textOf(contactId) };
  const [last] = readCursor(cursor, ById, filters) ?? [];
  const wanted: Wanted = { after: last === undefined ? null : asId(last), limit: limit + 1 };
  const isByNameAlone = name !== undefined && contactId === undefined;
  const batch = openBatch(ctx);
  const page = isByNameAlone ? null : batch.add(selectPage(ctx, search, wanted));
  const counted = wanted.after === null ? batch.add(selectCount(ctx, search)) : null;
  await batch.commit();
  const { events, edge } = isByNameAlone
    ? await listByName(ctx, name, wanted)
    : { events: page?.all ?? [], edge: null };
  const shown = events.slice(0, limit);
  const next = events.length > limit ? (shown.at(-1)?.row.id ?? null) : edge;
  return {
    data: shown.map(eventJson),
    cursor: next === null ? "" : writeCursor([textOf(next)], filters),
    hasMore: next !== null,
    total: counted?.one.total ?? 0,
    ...(counted?.one.isCut ? { approximate: true as const, countedAt: ctx.now.toISOString() } : {}),
  };
}

/** `GET /events/contact/{contactId}`: the same page, of a contact that is there. */
export async function listContactEvents(
  ctx: Context,
  contactId: Id,
  page: { cursor?: string; limit: number },
): Promise<EventPage> {
  const [found] = await Promise.all([listEvents(ctx, { ...page, contactId }), getContact(ctx, contactId)]);
  return found;
}

function selectPage(ctx: Context, filters: EventFilters, { after, limit }: Wanted): Statement<Event> {
  return statement(
    sql`SELECT ${eventColumns} FROM events e ${indexFor(filters)}
      LEFT JOIN contacts c ON c.project_id = e.project_id AND c.id = e.contact_id ${joinEmailOfEvent}
      WHERE ${isMatch(ctx, filters)} ${after === null ? sql`` : sql`AND e.id < ${after}`}
      ORDER BY e.id DESC LIMIT ${limit}`,
    readEvent,
  );
}

interface Count {
  total: number | null;
  /** There are more than were counted. */
  isCut: boolean;
}

const readCount = columns({ total: orNull(asNumber), isCut: asFlag });

/** Of all events and of one name from the kept counts, which are exact; of a contact live, up to a bound. */
function selectCount(ctx: Context, filters: EventFilters): Statement<Count> {
  const { name, contactId } = filters;
  if (contactId !== undefined) {
    const seen = sql`SELECT 1 FROM events e ${indexFor(filters)} WHERE ${isMatch(ctx, filters)}
      LIMIT ${maxCounted + 1}`;
    return statement(
      sql`SELECT min(count(*), ${maxCounted}) AS total, count(*) > ${maxCounted} AS is_cut FROM (${seen})`,
      readCount,
    );
  }
  const counts = sql`SELECT count FROM event_names WHERE project_id = ${ctx.project.number}
    ${name === undefined ? sql`` : sql`AND name = ${name}`} LIMIT ${maxNames}`;
  return statement(sql`SELECT sum(count) AS total, count(*) = ${maxNames} AS is_cut FROM (${counts})`, readCount);
}

/** What holds just these events in the order of the list, so that no page looks at others. All of them are in the key. */
function indexFor({ name, contactId }: EventFilters): SQL {
  if (contactId === undefined) return sql``;
  return name === undefined ? sql`INDEXED BY ix_events_contact` : sql`INDEXED BY ix_events_name`;
}

function isMatch(ctx: Context, { name, contactId }: EventFilters): SQL {
  return sql.join(
    [
      sql`e.project_id = ${ctx.project.number}`,
      ...(name === undefined ? [] : [sql`e.name = ${name}`]),
      ...(contactId === undefined ? [] : [sql`e.contact_id = ${contactId}`]),
    ],
    sql` AND `,
  );
}
