import { type Id, publicId, publicIdOrNull, textOf } from "../../core/ids";
import { type Page, readCursor, writeCursor } from "../../core/page";
import { iso } from "../../core/time";
import { openBatch } from "../../db/batch";
import type { Context } from "../../platform/context";
import { ByTime, countAfter, maxCounted, selectEnd, type Upcoming } from "./upcoming-rows";
import { sourcesOf } from "./upcoming-sources";

/**
 * `GET /activity/upcoming`: lists the scheduled work of one contact or of the whole project, soonest first. The cursor
 * is a time and an id, so a page neither repeats nor skips an entry, even if others were scheduled or cancelled since
 * the previous page. Throws BadRequest for a cursor of another list.
 */
export async function listUpcoming(
  ctx: Context,
  { cursor, limit, contactId = null }: { cursor?: string; limit: number; contactId?: Id | null },
): Promise<Page<ReturnType<typeof upcomingJson>>> {
  const filters = contactId === null ? {} : { contact: textOf(contactId) };
  const cursorValue = readCursor(cursor, ByTime, filters);
  // Only the first page starts at the present. Later pages start at their cursor, so an entry that becomes due
  // meanwhile stays listed until it happens.
  const after = cursorValue ?? [ctx.now.getTime(), "~"];
  const batch = openBatch(ctx);
  const asked = sourcesOf(contactId);
  const pages = asked.map((source) => batch.add(source.select(source.rows(ctx, contactId), after, limit + 1)));
  const hiding = asked.map(({ rows }) => rows(ctx, contactId)).filter(({ isShown }) => isShown !== undefined);
  const ends = hiding.map((rows) => batch.add(selectEnd(rows, after, limit)));
  const counts = cursorValue ? [] : asked.map(({ rows }) => batch.add(countAfter(rows(ctx, contactId), after)));
  await batch.commit();
  const [end] = ends.flatMap(({ all }) => all);
  const found = pages.flatMap(({ all }) => all).filter((one) => end === undefined || compare(one, end) <= 0);
  const sorted = found.toSorted(compare);
  const shown = sorted.slice(0, limit);
  const edge = sorted.length > limit ? shown.at(-1) : end;
  const total = counts.reduce((sum, { one }) => sum + one.count, 0);
  return {
    data: shown.map(upcomingJson),
    cursor: edge ? writeCursor([edge.at, textOf(edge.id)], filters) : "",
    hasMore: edge !== undefined,
    total,
    ...(counts.some(({ one }) => one.seen === maxCounted)
      ? { approximate: true as const, countedAt: ctx.now.toISOString() }
      : {}),
  };
}

function compare(a: { at: number; id: Id }, b: { at: number; id: Id }): number {
  if (a.at !== b.at || a.id === b.id) return a.at - b.at;
  return textOf(a.id) < textOf(b.id) ? -1 : 1;
}

function upcomingJson({ id, type, at, contactId, contactEmail, metadata }: Upcoming) {
  return {
    id: publicId(id),
    type,
    timestamp: iso(at),
    contactId: publicIdOrNull(contactId),
    contactEmail,
    metadata,
  };
}
