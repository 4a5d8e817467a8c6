import { sql } from "drizzle-orm";
import type { FilterCondition } from "../../core/audience/condition";
import { movesWithTime, referencesOf } from "../../core/audience/references";
import { newIdAt } from "../../core/ids";
import { slugOf } from "../../core/segments/slug";
import { openBatch } from "../../db/batch";
import { freeSlug } from "../../db/free-slug";
import { untilFresh } from "../../db/fresh";
import { isInserted, rowById } from "../../db/own-rows";
import { wholeRow } from "../../db/rows";
import { type Statement, statement } from "../../db/statement";
import { type SegmentRow, segments } from "../../db/tables";
import { checkCondition } from "../../engine/audience/named-segments";
import { replaceReferences } from "../../engine/audience/record-references";
import { recordChange } from "../../engine/audit/record-change";
import { type Context, clockOf } from "../../platform/context";
import { auditedSegment } from "./audited";
import { guardQuota } from "./condition-quota";
import { withCount } from "./count";
import type { CreateSegment } from "./schema";

/**
 * Implements `POST /segments`. Throws Invalid and Conflict. The call records no events and writes no members. The first
 * computation of a tracked segment does both, and a sweep soon starts it.
 */
export async function createSegment(ctx: Context, input: CreateSegment): Promise<SegmentRow> {
  const condition = input.type === "STATIC" ? null : (input.condition ?? null);
  return withCount(ctx, await untilFresh(() => save(ctx, input, condition), ctx.random));
}

async function save(
  ctx: Context,
  { name, description, trackMembership }: CreateSegment,
  condition: FilterCondition | null,
): Promise<SegmentRow> {
  const id = newIdAt(ctx.now.getTime());
  const checked = condition && (await checkCondition(ctx, condition));
  const named = condition ? referencesOf(condition) : {};
  const batch = openBatch(ctx);
  batch.recognise(isInserted("segments", ctx, id));
  batch.addAll(guardQuota(ctx, id, condition));
  if (checked) batch.add(checked.unmoved);
  recordChange(batch, ctx, auditedSegment(ctx, id));
  batch.addAll(replaceReferences(ctx, { referrer: "segment", id, name }, named));
  const saved = batch.add(
    insertSegment(ctx, {
      id,
      name,
      description: description || null,
      condition,
      trackMembership: trackMembership ?? false,
    }),
  );
  await batch.commit();
  return saved.one;
}

type NewSegment = Pick<SegmentRow, "id" | "name" | "description" | "condition" | "trackMembership">;

function insertSegment(ctx: Context, segment: NewSegment): Statement<SegmentRow> {
  const { id, name, description, condition, trackMembership } = segment;
  const now = ctx.now.getTime();
  const isDynamic = condition !== null;
  return statement(
    sql`INSERT INTO segments (id, project_id, name, description, type, slug, condition, moves_with_time,
        track_membership, counted_at, clock, next_count_at, next_compute_at, created_at, updated_at)
      VALUES (${id}, ${ctx.project.number}, ${name}, ${description}, ${isDynamic ? "DYNAMIC" : "STATIC"},
        ${freeSlug(ctx, "segments", slugOf(name))}, ${condition && JSON.stringify(condition)},
        ${condition !== null && movesWithTime(condition)}, ${trackMembership}, ${now},
        ${clockOf(ctx)}, ${isDynamic ? now : null}, ${isDynamic && trackMembership ? now : null}, ${now}, ${now})
      RETURNING *`,
    wholeRow(segments),
    { again: rowById("segments", ctx, id) },
  );
}
