import { type SQL, sql } from "drizzle-orm";
import { movesWithTime, referencesOf } from "../../core/audience/references";
import { Invalid } from "../../core/errors";
import { type Id, newId } from "../../core/ids";
import { openBatch } from "../../db/batch";
import { isUnchanged, Stale, untilFresh } from "../../db/fresh";
import { inProject } from "../../db/scope";
import { type Statement, statement } from "../../db/statement";
import type { SegmentRow } from "../../db/tables";
import { checkCondition } from "../../engine/audience/named-segments";
import { replaceReferences } from "../../engine/audience/record-references";
import { recordChange } from "../../engine/audit/record-change";
import { requireAuditedVersion } from "../../engine/audit/require-version";
import { totalContacts } from "../../engine/contacts/total";
import type { Context } from "../../platform/context";
import { auditedSegment } from "./audited";
import { upsertSilentComputation } from "./computation";
import { finishComputation } from "./compute";
import { guardQuota } from "./condition-quota";
import { withCount } from "./count";
import type { UpdateSegment } from "./schema";
import { getSegment, readSegmentAndTotal, type SegmentAndTotal } from "./segment";

/**
 * `PATCH /segments/{id}`: changes only the fields that are sent. Throws NotFound, Invalid and Conflict.
 *
 * When tracking begins, a job records the present members without events. The batch that begins to track also inserts
 * the job, so that neither exists without the other. The next computation records the events that a new condition
 * causes.
 */
export async function updateSegment(ctx: Context, id: Id, change: UpdateSegment): Promise<SegmentRow> {
  const { before, after, jobId, contacts } = await untilFresh(
    (tries) => applyChange(ctx, id, change, tries),
    ctx.random,
  );
  // Generation 1 is enough: any pass that ends after the commit above has recorded the present members.
  if (jobId !== null) await finishComputation(ctx, { jobId, generation: 1 }, contacts);
  return conditionText(before) === conditionText(after) ? after : withCount(ctx, after);
}

interface AppliedChange {
  before: SegmentRow;
  after: SegmentRow;
  /** The computation that records the present members; null unless this change begins to track the segment. */
  jobId: Id | null;
  contacts: number;
}

async function applyChange(ctx: Context, id: Id, change: UpdateSegment, tries: number): Promise<AppliedChange> {
  const before = await getSegment(ctx, id);
  if (tries === 1) await requireAuditedVersion(ctx, before);
  const after = changed(before, change);
  const isNewCondition = conditionText(before) !== conditionText(after);
  const areFieldsChanged = (["name", "description", "trackMembership"] as const).some(
    (key) => before[key] !== after[key],
  );
  if (!areFieldsChanged && !isNewCondition) return { before, after: before, jobId: null, contacts: 0 };
  await requireAuditedVersion(ctx, before);

  const checked =
    isNewCondition && after.condition ? await checkCondition(ctx, after.condition, { own: before }) : null;
  const named = after.condition ? referencesOf(after.condition) : {};
  const isDynamic = after.type === "DYNAMIC";
  const isTrackedFromNow = isDynamic && after.trackMembership && !before.trackMembership;
  const jobId = isTrackedFromNow ? newId() : null;
  const batch = openBatch(ctx);
  // If the batch runs again after it was committed, it throws Stale, and the next attempt finds nothing left to change.
  batch.mayRepeat();
  batch.guard(isUnchanged("segments", before), () => new Stale());
  recordChange(batch, ctx, auditedSegment(ctx, id));
  if (checked) batch.addAll([...guardQuota(ctx, id, after.condition), checked.unmoved]);
  batch.addAll(replaceReferences(ctx, { referrer: "segment", id, name: after.name }, named));
  const isNewTracking = before.trackMembership !== after.trackMembership;
  batch.add(updateRow(ctx, after, { isNewCondition, isNewTracking }));
  if (jobId !== null) batch.addAll(upsertSilentComputation(ctx, id, jobId));
  const saved = batch.add(selectSegmentAndTotal(ctx, id));
  await batch.commit();
  const { segment, contacts } = saved.one;
  // A computation may still be running from before tracking ended. It has just become silent, and this call waits for
  // it.
  return { before, after: segment, jobId: jobId && segment.computeJobId, contacts };
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
 * Updates the row of a segment. A new condition invalidates the last count and computation: until the next computation,
 * conditions that name this segment evaluate its condition. `updated_at` never goes back, even if calls commit in
 * another order than they arrived in.
 */
function updateRow(
  ctx: Context,
  after: SegmentRow,
  { isNewCondition, isNewTracking }: { isNewCondition: boolean; isNewTracking: boolean },
): Statement {
  const now = ctx.now.getTime();
  const isComputed = after.type === "DYNAMIC" && after.trackMembership;
  const resets: SQL[] = [];
  if (isNewCondition) {
    const moves = after.condition !== null && movesWithTime(after.condition);
    resets.push(sql`moves_with_time = ${moves}, counted_of = NULL, next_count_at = ${now}`);
  }
  if (isNewCondition || isNewTracking) {
    resets.push(sql`computed_at = NULL, computed_of = NULL, next_compute_at = ${isComputed ? now : null}`);
  }
  const condition = after.condition && JSON.stringify(after.condition);
  const changes = [
    sql`name = ${after.name}, description = ${after.description}, condition = ${condition}`,
    sql`track_membership = ${after.trackMembership}, version = version + 1, updated_at = max(updated_at, ${now})`,
    ...resets,
  ];
  return statement(sql`UPDATE segments SET ${sql.join(changes, sql`, `)} WHERE ${inProject(ctx)} AND id = ${after.id}`);
}

function selectSegmentAndTotal(ctx: Context, id: Id): Statement<SegmentAndTotal> {
  return statement(
    sql`SELECT s.*, ${totalContacts(ctx)} AS contacts
      FROM segments s WHERE ${inProject(ctx, "s")} AND s.id = ${id}`,
    readSegmentAndTotal,
  );
}

function conditionText({ condition }: SegmentRow): string {
  return JSON.stringify(condition);
}
