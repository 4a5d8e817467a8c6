import { type SQL, sql } from "drizzle-orm";
import { filtersOf } from "../../core/audience/condition";
import { windowLengthMs } from "../../core/audience/dates";
import type { FilterTest } from "../../core/audience/filter";
import type { Bind } from "../../core/audience/operand";
import { firstIdAt } from "../../core/ids";
import { contactResolver } from "../../db/audience";
import { timeOfId } from "../../db/ids";
import { asNumber, columns, orNull, wholeRow } from "../../db/rows";
import { inProject } from "../../db/scope";
import { select, selectOne } from "../../db/statement";
import { segments } from "../../db/tables";
import { loadSegments } from "../../engine/audience/named-segments";
import type { Context } from "../../platform/context";
import { freshness } from "./freshness";
import { isDynamic } from "./segment";

/**
 * Returns an SQL expression for the next time at which a tracked segment is due to be computed. Ignores segments whose
 * members cannot have changed.
 */
export function nextComputation({ project, clock }: Context): SQL {
  return sql`SELECT min(next_compute_at) FROM segments
    WHERE project_id = ${project.number} AND clock = ${project.number} AND next_compute_at > ${clock().getTime()}
      AND (computed_of IS NOT ${freshness(sql`segments`)} OR ${haveOtherMembersChanged})`;
}

/** Matches when the condition names a segment, and members of any segment have changed since the last computation. */
const haveOtherMembersChanged: SQL = sql`EXISTS (SELECT 1 FROM audience_references r
    WHERE r.project_id = segments.project_id AND r.referrer = 'segment' AND r.referrer_id = segments.id
      AND r.kind = 'segment')
  AND EXISTS (SELECT 1 FROM event_names n
    WHERE n.project_id = segments.project_id AND n.name GLOB 'segment.*' AND n.last_at >= segments.computed_at)`;

const readSegment = wholeRow(segments);

/** Returns the next moment at which a stored time enters or leaves a window in the condition of a tracked segment. */
export async function nextCrossing(ctx: Context): Promise<number | null> {
  const rows = await select(
    ctx.db,
    sql`SELECT * FROM segments WHERE ${inProject(ctx)} AND next_compute_at IS NOT NULL AND moves_with_time`,
    readSegment,
  );
  let next: number | null = null;
  for (const row of rows) {
    if (!isDynamic(row)) continue;
    const others = [...(await loadSegments(ctx, row.condition)).values()].filter((source) => source !== "members");
    const tests = [row.condition, ...others].flatMap((condition) => [...filtersOf(condition)].map(({ test }) => test));
    for (const test of tests) {
      const crossing = await crossingOf(ctx, test);
      const at = crossing === null ? null : Math.max(crossing, row.nextComputeAt ?? 0);
      if (at !== null && (next === null || at < next)) next = at;
    }
  }
  return next;
}

const bind: Bind = (value) => sql`${value}`;
const readAt = columns({ at: orNull(asNumber) });

/**
 * Returns the next moment at which a stored time enters or leaves the window of a test: a time inside the window leaves
 * it, and a future time enters it.
 */
async function crossingOf(ctx: Context, test: FilterTest): Promise<number | null> {
  if (!("window" in test) || test.window === null) return null;
  const now = ctx.clock().getTime();
  const lengthMs = windowLengthMs(test.window);
  const times =
    test.kind === "event"
      ? sql`SELECT ${timeOfId(sql`min(id)`)} AS t FROM events WHERE ${inProject(ctx)} AND name = ${test.name}
          AND id >= ${firstIdAt(now - lengthMs)}`
      : sql`SELECT ${contactResolver(new Map()).field(test.field, bind).time} AS t FROM contacts c
          WHERE ${inProject(ctx, "c")}`;
  // A future time enters the window when it is reached. A time inside the window leaves one millisecond after the end
  // of the window.
  const { at } = await selectOne(
    ctx.db,
    sql`SELECT min(iif(t > ${now}, t, t + ${lengthMs + 1})) AS at FROM (${times}) WHERE t >= ${now - lengthMs}`,
    readAt,
  );
  return at;
}
