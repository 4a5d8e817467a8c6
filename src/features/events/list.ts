import { type SQL, sql } from "drizzle-orm";
import { ById, type Page, readCursor, writeCursor } from "../../core/page";
import { openBatch } from "../../db/batch";
import { maxRowsPerStatement } from "../../db/limits";
import { asFlag, asNumber, columns, orNull } from "../../db/rows";
import { type Statement, statement } from "../../db/statement";
import { getContact } from "../../engine/contacts/contact";
import type { Context } from "../../platform/context";
import { type Event, eventColumns, eventJson, readEvent } from "./event";
import { maxNames } from "./names";
import type { EventFilters } from "./schema";

type EventPage = Page<ReturnType<typeof eventJson>>;

/** One statement counts no more events than this. */
export const maxCounted = maxRowsPerStatement;

/** A page of events, newest first, in one round trip. Throws BadRequest on a cursor that is not of this list. */
export async function listEvents(
  ctx: Context,
  search: EventFilters & { cursor?: string; limit: number },
): Promise<EventPage> {
  const { cursor, limit, ...filters } = search;
  const [after = null] = readCursor(cursor, ById, filters) ?? [];
  const batch = openBatch(ctx);
  const page = batch.add(selectPage(ctx, filters, { after, limit: limit + 1 }));
  const counted = after === null ? batch.add(selectCount(ctx, filters)) : null;
  await batch.commit();
  const shown = page.all.slice(0, limit);
  const last = page.count > limit ? shown.at(-1) : undefined;
  return {
    data: shown.map(eventJson),
    cursor: last ? writeCursor([last.row.id], filters) : "",
    hasMore: last !== undefined,
    total: counted?.one.total ?? 0,
    ...(counted?.one.isCut ? { approximate: true as const, countedAt: ctx.now.toISOString() } : {}),
  };
}

/** `GET /events/contact/{contactId}`: the same page, of a contact that is there. */
export async function listContactEvents(
  ctx: Context,
  contactId: string,
  page: { cursor?: string; limit: number },
): Promise<EventPage> {
  const [found] = await Promise.all([listEvents(ctx, { ...page, contactId }), getContact(ctx, contactId)]);
  return found;
}

function selectPage(
  ctx: Context,
  filters: EventFilters,
  { after, limit }: { after: string | null; limit: number },
): Statement<Event> {
  return statement(
    sql`SELECT ${eventColumns} FROM events e INDEXED BY ${indexFor(filters)}
      LEFT JOIN contacts c ON c.id = e.contact_id AND c.project_id = e.project_id
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
    const seen = sql`SELECT 1 FROM events e INDEXED BY ${indexFor(filters)} WHERE ${isMatch(ctx, filters)}
      LIMIT ${maxCounted + 1}`;
    return statement(
      sql`SELECT min(count(*), ${maxCounted}) AS total, count(*) > ${maxCounted} AS is_cut FROM (${seen})`,
      readCount,
    );
  }
  const counts = sql`SELECT count FROM event_names WHERE project_id = ${ctx.project.id}
    ${name === undefined ? sql`` : sql`AND name = ${name}`} LIMIT ${maxNames}`;
  return statement(sql`SELECT sum(count) AS total, count(*) = ${maxNames} AS is_cut FROM (${counts})`, readCount);
}

/** Whatever is asked for, there is an index of just these events in the order of the list: no page looks at others. */
function indexFor({ name, contactId }: EventFilters): SQL {
  if (name === undefined) return contactId === undefined ? sql`ix_events_project` : sql`ix_events_contact`;
  return contactId === undefined ? sql`ix_events_name` : sql`ix_events_name_contact`;
}

function isMatch(ctx: Context, { name, contactId }: EventFilters): SQL {
  return sql.join(
    [
      sql`e.project_id = ${ctx.project.id}`,
      ...(name === undefined ? [] : [sql`e.name = ${name}`]),
      ...(contactId === undefined ? [] : [sql`e.contact_id = ${contactId}`]),
    ],
    sql` AND `,
  );
}
