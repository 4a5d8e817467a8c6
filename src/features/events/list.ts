import { type SQL, sql } from "drizzle-orm";
import { ById, type Page, readCursor, writeCursor } from "../../core/page";
import { commit, statement } from "../../db/commit";
import { mostRowsPerStatement } from "../../db/limits";
import { getContact } from "../../engine/contacts/contact";
import type { Context } from "../../platform/context";
import { eventColumns, eventJson, readEvent } from "./event";
import { mostNames } from "./names";
import type { EventFilters } from "./schema";

type EventPage = Page<ReturnType<typeof eventJson>>;

/** One statement counts no more events than this. */
export const mostCounted = mostRowsPerStatement;

/** A page of events, newest first, in one round trip. Throws BadRequest on a cursor that is not of this list. */
export async function listEvents(
  ctx: Context,
  search: EventFilters & { cursor?: string; limit: number },
): Promise<EventPage> {
  const { cursor, limit, ...filters } = search;
  const [after = null] = readCursor(cursor, ById, filters) ?? [];
  const [rows = [], counted] = await commit(ctx.db, [
    selectPage(ctx, filters, { after, limit: limit + 1 }),
    ...(after === null ? [countEvents(ctx, filters)] : []),
  ]);
  const shown = rows.slice(0, limit);
  const hasMore = rows.length > limit;
  const isCut = counted?.[0]?.is_cut === 1;
  return {
    data: shown.map((row) => eventJson(readEvent(row))),
    cursor: hasMore ? writeCursor([String(shown.at(-1)?.id)], filters) : "",
    hasMore,
    total: Number(counted?.[0]?.total ?? 0),
    ...(isCut ? { approximate: true as const, countedAt: ctx.now.toISOString() } : {}),
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
): D1PreparedStatement {
  return statement(
    ctx.db,
    sql`SELECT ${eventColumns} FROM events e INDEXED BY ${indexFor(filters)}
      LEFT JOIN contacts c ON c.id = e.contact_id AND c.project_id = e.project_id
      WHERE ${isMatch(ctx, filters)} ${after === null ? sql`` : sql`AND e.id < ${after}`}
      ORDER BY e.id DESC LIMIT ${limit}`,
  );
}

/** Of all events and of one name from the kept counts, which are exact; of a contact live, up to a bound. */
function countEvents(ctx: Context, filters: EventFilters): D1PreparedStatement {
  const { name, contactId } = filters;
  if (contactId !== undefined) {
    const seen = sql`SELECT 1 FROM events e INDEXED BY ${indexFor(filters)} WHERE ${isMatch(ctx, filters)}
      LIMIT ${mostCounted + 1}`;
    return statement(
      ctx.db,
      sql`SELECT min(count(*), ${mostCounted}) AS total, count(*) > ${mostCounted} AS is_cut FROM (${seen})`,
    );
  }
  const counts = sql`SELECT count FROM event_names WHERE project_id = ${ctx.project.id}
    ${name === undefined ? sql`` : sql`AND name = ${name}`} LIMIT ${mostNames}`;
  return statement(ctx.db, sql`SELECT sum(count) AS total, count(*) = ${mostNames} AS is_cut FROM (${counts})`);
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
