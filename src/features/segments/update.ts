import { type SQL, sql } from "drizzle-orm";
import { referencesOf } from "../../core/audience/references";
import { Invalid } from "../../core/errors";
import { newId } from "../../core/ids";
import { commit, statement, unchanged, untilFresh } from "../../db/commit";
import { readRow } from "../../db/rows";
import { type SegmentRow, segments } from "../../db/tables";
import { checkCondition } from "../../engine/audience/named-segments";
import { recordReferences } from "../../engine/audience/record-references";
import { totalContacts } from "../../engine/contacts/total";
import type { Context } from "../../platform/context";
import { finishComputation } from "./compute";
import { guardRoom, refuseForRoom } from "./room";
import type { UpdateSegment } from "./schema";
import { getSegment } from "./segment";
import { startSilently } from "./start-computation";
import { withCount } from "./with-count";

/**
 * `PATCH /segments/{id}`: only the fields sent change. Throws NotFound, Invalid and Conflict.
 *
 * Who is in a segment that is tracked from now on is taken as they are, without events; the job for it is written in the
 * same batch, so that neither is there without the other. What a new condition changes is told by the next computation.
 */
export async function updateSegment(ctx: Context, id: string, change: UpdateSegment): Promise<SegmentRow> {
  const { before, after, jobId, contacts } = await untilFresh(() => applyChange(ctx, id, change), ctx.random);
  if (jobId !== null) await finishComputation(ctx, id, { jobId, contacts });
  return textOf(before) === textOf(after) ? after : withCount(ctx, after);
}

interface Applied {
  before: SegmentRow;
  after: SegmentRow;
  /** The computation that this began. */
  jobId: string | null;
  contacts: number;
}

async function applyChange(ctx: Context, id: string, change: UpdateSegment): Promise<Applied> {
  const before = await getSegment(ctx, id);
  const after = changed(before, change);
  const isOtherCondition = textOf(before) !== textOf(after);
  const isOther = (["name", "description", "trackMembership"] as const).some((key) => before[key] !== after[key]);
  if (!isOther && !isOtherCondition) return { before, after: before, jobId: null, contacts: 0 };

  const checked = isOtherCondition && after.condition ? await checkCondition(ctx, after.condition, before) : null;
  const named = after.condition ? referencesOf(after.condition) : {};
  const isDynamic = after.type === "DYNAMIC";
  const isTrackedFromNow = isDynamic && after.trackMembership && !before.trackMembership;
  const jobId = isTrackedFromNow ? newId() : null;
  const rows = await commit(ctx.db, [
    unchanged(ctx.db, "segments", before),
    ...(checked ? [...guardRoom(ctx, id, after.condition), checked.unmoved] : []),
    ...recordReferences(ctx, { referrer: "segment", id, name: after.name }, named),
    saveSegment(ctx, after, { isOtherCondition, isOtherTracking: before.trackMembership !== after.trackMembership }),
    ...(jobId === null ? [] : startSilently(ctx, id, jobId)),
    statement(
      ctx.db,
      sql`SELECT s.*, ${totalContacts(ctx)} AS contacts
        FROM segments s WHERE s.project_id = ${ctx.project.id} AND s.id = ${id}`,
    ),
  ]).catch(refuseForRoom);
  const saved = rows.at(-1)?.[0];
  const row = readRow(segments, saved);
  // One that was going on when tracking ended is silent from here on, and is joined.
  return { before, after: row, jobId: jobId && row.computeJobId, contacts: Number(saved?.contacts ?? 0) };
}

function changed(
  before: SegmentRow,
  { name, description, type, condition, trackMembership }: UpdateSegment,
): SegmentRow {
  if (type && type !== before.type) {
    throw new Invalid([
      { field: "type", code: "custom", message: "The type of a segment cannot change", received: type },
    ]);
  }
  if (condition && before.type === "STATIC") {
    throw new Invalid([{ field: "condition", code: "custom", message: "A STATIC segment has no condition" }]);
  }
  if (condition === null && before.type === "DYNAMIC") {
    const message = "A DYNAMIC segment needs a condition";
    throw new Invalid([{ field: "condition", code: "invalid_type", message, received: null }]);
  }
  return {
    ...before,
    name: name ?? before.name,
    description: description === undefined ? before.description : description || null,
    condition: condition ?? before.condition,
    trackMembership: trackMembership ?? before.trackMembership,
  };
}

/**
 * What was counted and computed of another condition counts no more: until it is computed again, whoever names this
 * segment asks its condition. A call that came before may be written after: updatedAt never goes back.
 */
function saveSegment(
  ctx: Context,
  after: SegmentRow,
  { isOtherCondition, isOtherTracking }: { isOtherCondition: boolean; isOtherTracking: boolean },
): D1PreparedStatement {
  const now = ctx.now.getTime();
  const isComputed = after.type === "DYNAMIC" && after.trackMembership;
  const also: SQL[] = [];
  if (isOtherCondition) also.push(sql`counted_of = NULL, next_count_at = ${now}`);
  if (isOtherCondition || isOtherTracking) {
    also.push(sql`computed_at = NULL, computed_of = NULL, next_compute_at = ${isComputed ? now : null}`);
  }
  const condition = after.condition && JSON.stringify(after.condition);
  const changes = [
    sql`name = ${after.name}, description = ${after.description}, condition = ${condition}`,
    sql`track_membership = ${after.trackMembership}, version = version + 1, updated_at = max(updated_at, ${now})`,
    ...also,
  ];
  return statement(
    ctx.db,
    sql`UPDATE segments SET ${sql.join(changes, sql`, `)} WHERE project_id = ${ctx.project.id} AND id = ${after.id}`,
  );
}

function textOf({ condition }: SegmentRow): string {
  return JSON.stringify(condition);
}
