import { type SQL, sql } from "drizzle-orm";
import { aboveAllIds, firstIdAt, type Id, textOf, timeOf } from "../../core/ids";
import { dayMs, minuteMs } from "../../core/time";
import { openBatch } from "../../db/batch";
import { maxRowsPerStatement } from "../../db/limits";
import { asId, asNumber, columns } from "../../db/rows";
import { select, selectFirst, statement } from "../../db/statement";
import { joinEmailOfEvent } from "../../engine/events/email-data";
import type { Context } from "../../platform/context";
import { type Event, eventColumns, readEvent } from "./event";

/** Names of so many events are sorted whole for each page. */
const maxSorted = maxRowsPerStatement;

/** Statements that one page may take, each over so many events of all names at most. */
const maxWindows = 10;
const windowRows = maxRowsPerStatement;

/** Days that one page may look back over. */
const maxDays = 1_000;

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
  events: Event[];
  /** The event at which the look ended early; null when nothing is behind what it found. */
  edge: Id | null;
}

/** From the first day to the last, on each of which the name happened. */
interface Days {
  first: number;
  last: number;
}

/**
 * Events of a name alone, for which there is no index in the order of time. A rare one is sorted whole. A frequent one is
 * looked for among all events, newest first, on the days on which it happened; the look may end early.
 */
export async function listByName(ctx: Context, name: string, wanted: Wanted): Promise<Found> {
  const known = await selectFirst(
    ctx.db,
    sql`SELECT count, day, day_count FROM event_names WHERE project_id = ${ctx.project.number} AND name = ${name}`,
    columns({ count: asNumber, day: asNumber, dayCount: asNumber }),
  );
  if (!known) return { events: [], edge: null };
  if (known.count > maxSorted) return listByDays(ctx, name, wanted, known);
  const { after, limit } = wanted;
  const ids = sql`SELECT id FROM events INDEXED BY ix_events_name
    WHERE project_id = ${ctx.project.number} AND name = ${name} ${after === null ? sql`` : sql`AND id < ${after}`}
    ORDER BY id DESC LIMIT ${limit}`;
  return { events: await select(ctx.db, eventsOf(ctx, ids), readEvent), edge: null };
}

async function listByDays(
  ctx: Context,
  name: string,
  { after, limit }: Wanted,
  today: { day: number; dayCount: number },
): Promise<Found> {
  const latest = after === null ? today.day : Math.min(today.day, Math.floor(timeOf(after) / dayMs));
  const past = await select(
    ctx.db,
    sql`SELECT day FROM event_days WHERE project_id = ${ctx.project.number} AND name = ${name} AND day <= ${latest}
      AND count > 0 ORDER BY day DESC LIMIT ${maxDays}`,
    columns({ day: asNumber }),
  );
  const days = past.map(({ day }) => day);
  if (today.day <= latest && today.dayCount > 0) days.unshift(today.day);
  const events: Found["events"] = [];
  let before = after ?? aboveAllIds;
  for (const [place, run] of runsOf(days).entries()) {
    if (place === maxWindows) return { events, edge: before };
    const from = firstIdAt(run.first * dayMs);
    const end = firstIdAt((run.last + 1) * dayMs + overMidnightMs);
    const window = { from, before: textOf(end) < textOf(before) ? end : before };
    const found = await scanWindow(ctx, name, window, limit - events.length);
    events.push(...found.events);
    if (events.length === limit || found.edge !== null) return { events, edge: found.edge };
    before = from;
  }
  return { events, edge: past.length === maxDays ? before : null };
}

/** Days, newest first, as runs without a gap. */
function runsOf(days: number[]): Days[] {
  const runs: Days[] = [];
  for (const day of days) {
    const run = runs.at(-1);
    if (run && day >= run.first - 1) run.first = Math.min(run.first, day);
    else runs.push({ first: day, last: day });
  }
  return runs;
}

async function scanWindow(
  ctx: Context,
  name: string,
  { from, before }: { from: Id; before: Id },
  limit: number,
): Promise<Found> {
  const window = sql`FROM events WHERE project_id = ${ctx.project.number} AND id >= ${from} AND id < ${before}`;
  const last = sql`SELECT id ${window} ORDER BY id DESC LIMIT 1 OFFSET ${windowRows - 1}`;
  const ids = sql`SELECT id ${window} AND id >= coalesce((${last}), '') AND +name = ${name}
    ORDER BY id DESC LIMIT ${limit}`;
  const batch = openBatch(ctx);
  const edge = batch.add(statement(last, columns({ id: asId })));
  const events = batch.add(statement(eventsOf(ctx, ids), readEvent));
  await batch.commit();
  return { events: events.all, edge: edge.first?.id ?? null };
}

/** Whole events, once it is known which: to sort is cheap as long as it is ids that are sorted. */
function eventsOf(ctx: Context, ids: SQL): SQL {
  return sql`SELECT ${eventColumns} FROM (${ids}) page
    CROSS JOIN events e ON e.project_id = ${ctx.project.number} AND e.id = page.id
    LEFT JOIN contacts c ON c.project_id = e.project_id AND c.id = e.contact_id ${joinEmailOfEvent}
    ORDER BY e.id DESC`;
}
