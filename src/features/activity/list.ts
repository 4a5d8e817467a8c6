import { asId, textOf } from "../../core/ids";
import { ById, type Page, readCursor, writeCursor } from "../../core/page";
import { pageOfEvents } from "../../engine/events/page";
import type { Context } from "../../platform/context";
import { activityJson } from "./activity";
import { eventNamesOf } from "./names-of-types";
import type { ActivityFilters } from "./schema";

/** The end of the year 9999, in milliseconds since 1970. No date that a caller can send is later. */
const endOfTime = 253_402_300_800_000;

/** Implements `GET /activity`: lists the event log, newest first. Throws BadRequest for a cursor of another list. */
export async function listActivity(
  ctx: Context,
  { cursor, limit, types, contactId, startDate, endDate }: ActivityFilters & { cursor?: string; limit: number },
): Promise<Page<ReturnType<typeof activityJson>>> {
  const filters = {
    types: types?.toSorted().join(),
    contactId: contactId && textOf(contactId),
    startDate: startDate?.from,
    endDate: endDate?.to,
  };
  const [last] = readCursor(cursor, ById, filters) ?? [];
  const search = {
    contactId,
    names: types && eventNamesOf(types),
    during: startDate || endDate ? { from: startDate?.from ?? 0, to: endDate?.to ?? endOfTime } : undefined,
  };
  const after = last === undefined ? null : asId(last);
  const { events, next, total, isApproximate } = await pageOfEvents(ctx, search, { after, limit });
  return {
    data: events.map(activityJson),
    cursor: next === null ? "" : writeCursor([textOf(next)], filters),
    hasMore: next !== null,
    total,
    ...(isApproximate ? { approximate: true as const, countedAt: ctx.now.toISOString() } : {}),
  };
}
