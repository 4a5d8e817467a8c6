import { asId, type Id, textOf } from "../../core/ids";
import { ById, type Page, readCursor, writeCursor } from "../../core/page";
import { getContact } from "../../engine/contacts/contact";
import { pageOfEvents } from "../../engine/events/page";
import { onlyName } from "../../engine/events/search";
import type { Context } from "../../platform/context";
import { eventJson } from "./event";
import type { EventFilters } from "./schema";

type EventPage = Page<ReturnType<typeof eventJson>>;

/** Returns a page of events, newest first. Throws BadRequest on a cursor of another list. */
export async function listEvents(
  ctx: Context,
  { cursor, limit, name, contactId }: EventFilters & { cursor?: string; limit: number },
): Promise<EventPage> {
  const filters = { name, contactId: contactId && textOf(contactId) };
  const [last] = readCursor(cursor, ById, filters) ?? [];
  const after = last === undefined ? null : asId(last);
  const names = name === undefined ? undefined : onlyName(name);
  const { events, next, total, isApproximate } = await pageOfEvents(ctx, { names, contactId }, { after, limit });
  return {
    data: events.map(eventJson),
    cursor: next === null ? "" : writeCursor([textOf(next)], filters),
    hasMore: next !== null,
    total,
    ...(isApproximate ? { approximate: true as const, countedAt: ctx.now.toISOString() } : {}),
  };
}

/** `GET /events/contact/{contactId}`: lists the events of one contact. Throws NotFound if there is no such contact. */
export async function listContactEvents(
  ctx: Context,
  contactId: Id,
  query: { cursor?: string; limit: number },
): Promise<EventPage> {
  const [page] = await Promise.all([listEvents(ctx, { ...query, contactId }), getContact(ctx, contactId)]);
  return page;
}
