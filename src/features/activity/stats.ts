import { type SQL, sql } from "drizzle-orm";
import { Invalid } from "../../core/errors";
import type { Span } from "../../core/events/range";
import { type EventColumn, eventColumns } from "../../core/events/service-event";
import { firstIdAt } from "../../core/ids";
import { dayMs, iso } from "../../core/time";
import { openBatch } from "../../db/batch";
import { asNumber, columns } from "../../db/rows";
import { inProject } from "../../db/scope";
import { statement } from "../../db/statement";
import { daysOf, sumDays } from "../../engine/events/day-counts";
import { maxCounted } from "../../engine/events/page";
import type { EventNames } from "../../engine/events/search";
import type { Context } from "../../platform/context";
import { eventNamesOf, isCallers } from "./names-of-types";

const usualDays = 30;
export const maxDays = 366;

const columnNames = [...eventColumns.map(({ column }) => column), "events" as const];
type Column = EventColumn | "events";
type DayCounts = Record<Column, number>;

interface ActivityStats {
  totals: DayCounts;
  series: ({ date: string } & DayCounts)[];
  approximate?: true;
  countedAt?: string;
}

/** The events that are counted: those that callers track, and those of the service that have a column of their own. */
const counted: EventNames = eventNamesOf(["event.triggered", ...eventColumns.map(({ name }) => name)]);

/**
 * `GET /activity/stats`: counts the events of each day (UTC). Whole days come from the stored counts, which are exact.
 * A partial day at either end is counted live. If it has too many events to be counted live, the stored count of the
 * whole day is used. Throws Invalid for too many days.
 */
export async function activityStats(
  ctx: Context,
  { startDate, endDate }: { startDate?: Span; endDate?: Span },
): Promise<ActivityStats> {
  const range = rangeOf(ctx.now, startDate, endDate);
  const { first, last } = daysOf(range);
  if (last - first >= maxDays) throw tooLong(range);
  const { counts, isCut } = await sumDays(ctx, { first, last }, { names: counted, keyOf: dayAndColumn });
  const parts = await countParts(ctx, partsOf(range));
  for (const part of parts) {
    if (part.isCut) continue;
    for (const column of columnNames) counts.set(`${part.day} ${column}`, part.counts[column]);
  }
  const series = Array.from({ length: last - first + 1 }, (_, index) => {
    const day = first + index;
    return { date: iso(day * dayMs).slice(0, 10), ...countsBy((column) => counts.get(`${day} ${column}`) ?? 0) };
  });
  return {
    totals: countsBy((column) => series.reduce((sum, day) => sum + day[column], 0)),
    series,
    ...(isCut || parts.some((part) => part.isCut) ? { approximate: true, countedAt: ctx.now.toISOString() } : {}),
  };
}

/** Returns the range of the answer. It defaults to the 30 days up to and including today. */
function rangeOf(now: Date, startDate?: Span, endDate?: Span): Span {
  const to = endDate?.to ?? startOfDay(Math.max(now.getTime(), startDate?.from ?? 0)) + dayMs;
  const lastDay = startOfDay(to - 1);
  return { from: startDate?.from ?? lastDay - (usualDays - 1) * dayMs, to };
}

function startOfDay(at: number): number {
  return Math.floor(at / dayMs) * dayMs;
}

export function tooLong({ from, to }: Span): Invalid {
  const days = Math.floor((to - 1) / dayMs) - Math.floor(from / dayMs) + 1;
  const message = `startDate to endDate spans ${days} days, but one answer has at most ${maxDays}. Send one call for each year`;
  return new Invalid([{ field: "startDate", code: "too_big", message }]);
}

function countsBy(count: (column: Column) => number): DayCounts {
  return Object.fromEntries(columnNames.map((column) => [column, count(column)])) as DayCounts; // the object has every column
}

function columnInSql(name: SQL): SQL {
  const cases = eventColumns.map(({ name: event, column }) => sql`WHEN ${event} THEN ${column}`);
  return sql`CASE ${name} ${sql.join(cases, sql` `)} ELSE 'events' END`;
}

function dayAndColumn(name: SQL, day: SQL): SQL {
  return sql`${day} || ' ' || ${columnInSql(name)}`;
}

/** Returns the partial days at the ends of a range; none when it consists of whole days. */
function partsOf(range: Span): Span[] {
  const { first, last } = daysOf(range);
  const edges = first === last ? [first] : [first, last];
  return edges
    .map((day) => ({ from: Math.max(range.from, day * dayMs), to: Math.min(range.to, (day + 1) * dayMs) }))
    .filter(({ from, to }) => to - from < dayMs);
}

interface PartialDay {
  day: number;
  counts: DayCounts;
  /** Whether there are more events than one statement counts. */
  isCut: boolean;
}

const readPart = columns({
  seen: asNumber,
  ...(Object.fromEntries(columnNames.map((column) => [column, asNumber])) as Record<Column, typeof asNumber>), // the object has every column
});

async function countParts(ctx: Context, parts: Span[]): Promise<PartialDay[]> {
  const isOf = [
    ...eventColumns.map(({ name, column }) => [column, sql`name = ${name}`] as const),
    ["events", isCallers(sql`name`)] as const,
  ];
  const sums = isOf.map(([column, isIt]) => sql`coalesce(sum(${isIt}), 0) AS ${sql.identifier(column)}`);
  const batch = openBatch(ctx);
  const counting = parts.map(({ from, to }) => ({
    day: Math.floor(from / dayMs),
    counted: batch.add(
      statement(
        sql`SELECT count(*) AS seen, ${sql.join(sums, sql`, `)}
          FROM (SELECT name FROM events
            WHERE ${inProject(ctx)} AND id >= ${firstIdAt(from)} AND id < ${firstIdAt(to)}
            LIMIT ${maxCounted + 1})`,
        readPart,
      ),
    ),
  }));
  await batch.commit();
  return counting.map(({ day, counted: { one } }) => ({
    day,
    counts: countsBy((column) => one[column]),
    isCut: one.seen > maxCounted,
  }));
}
