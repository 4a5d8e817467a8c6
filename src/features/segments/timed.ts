import { type SQL, sql } from "drizzle-orm";
import { filtersOf } from "../../core/audience/condition";
import { windowLengthMs } from "../../core/audience/dates";
import { eventOf } from "../../core/audience/fields";
import type { Filter } from "../../core/audience/filter";
import type { Bind } from "../../core/audience/operand";
import { isEventOperator } from "../../core/audience/operators";
import { firstIdAt } from "../../core/ids";
import { contactResolver } from "../../db/audience";
import { timeOfId } from "../../db/ids";
import { asNumber, columns, orNull, wholeRow } from "../../db/rows";
import { select, selectOne } from "../../db/statement";
import { segments } from "../../db/tables";
import { loadSegments } from "../../engine/audience/named-segments";
import type { Timed } from "../../engine/clock/timed";
import type { Context } from "../../platform/context";
import { freshness } from "./freshness";
import { isDynamic } from "./segment";
import { startDueOf } from "./sweep-due";

/**
 * The members of tracked segments, and the counts of the others. A tracked one is computed when something has happened that
 * its members may depend on, or when a window of time passes somebody: five minutes after the last computation at the
 * soonest, as everywhere.
 */
export const timedSegments: Timed = {
  name: "segments",
  isDue: ({ project, clock }) => sql`EXISTS (SELECT 1 FROM segments WHERE project_id = ${project.number}
    AND clock = ${project.number} AND min(coalesce(next_compute_at, next_count_at), coalesce(next_count_at, next_compute_at))
      <= ${clock().getTime()})`,
  settle: startDueOf,
  nextAt: ({ project, clock }) => sql`SELECT min(next_compute_at) FROM segments
    WHERE project_id = ${project.number} AND clock = ${project.number} AND next_compute_at > ${clock().getTime()}
      AND (computed_of IS NOT ${freshness(sql`segments`)} OR ${mayFollowOthers})`,
  foresee: nextPassing,
};

/** The members of another segment have changed since. */
const mayFollowOthers: SQL = sql`instr(condition, 'emberOfSegment"') > 0 AND EXISTS (SELECT 1 FROM event_names n
  WHERE n.project_id = segments.project_id AND n.name GLOB 'segment.*' AND n.last_at >= segments.computed_at)`;

const readSegment = wholeRow(segments);

/** When a window of a tracked segment passes somebody next. */
async function nextPassing(ctx: Context): Promise<number | null> {
  const rows = await select(
    ctx.db,
    sql`SELECT * FROM segments WHERE project_id = ${ctx.project.number} AND next_compute_at IS NOT NULL
      AND (instr(condition, '"unit"') > 0 OR instr(condition, 'emberOfSegment"') > 0)`,
    readSegment,
  );
  let next: number | null = null;
  for (const row of rows) {
    if (!isDynamic(row)) continue;
    const others = [...(await loadSegments(ctx, row.condition)).values()].filter((source) => source !== "members");
    const windows = [row.condition, ...others]
      .flatMap((condition) => [...filtersOf(condition)])
      .flatMap(({ filter }) => (filter.unit === undefined ? [] : [filter]));
    for (const window of windows) {
      const passes = await passesAt(ctx, window);
      const at = passes === null ? null : Math.max(passes, row.nextComputeAt ?? 0);
      if (at !== null && (next === null || at < next)) next = at;
    }
  }
  return next;
}

const bind: Bind = (value) => sql`${value}`;
const readAt = columns({ at: orNull(asNumber) });

/** When a time comes into this window next, or falls out of it: those in it now, and those to come. */
async function passesAt(ctx: Context, { field, operator, value, unit }: Filter): Promise<number | null> {
  if (unit === undefined) return null;
  const now = ctx.clock().getTime();
  const lengthMs = windowLengthMs(Number(value), unit);
  const project = ctx.project.number;
  const times = isEventOperator(operator)
    ? sql`SELECT ${timeOfId(sql`min(id)`)} AS t FROM events WHERE project_id = ${project} AND name = ${eventOf(field)}
        AND id >= ${firstIdAt(now - lengthMs)}`
    : sql`SELECT ${contactResolver(new Map()).field(field, bind).time} AS t FROM contacts c WHERE c.project_id = ${project}`;
  // A time to come enters the window when it comes; one that is in it falls out a millisecond after its end.
  const { at } = await selectOne(
    ctx.db,
    sql`SELECT min(iif(t > ${now}, t, t + ${lengthMs + 1})) AS at FROM (${times}) WHERE t >= ${now - lengthMs}`,
    readAt,
  );
  return at;
}
