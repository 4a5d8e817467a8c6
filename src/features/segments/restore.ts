import { sql } from "drizzle-orm";
import { referencesOf } from "../../core/audience/references";
import { Conflict, Invalid } from "../../core/errors";
import { type Id, newId, publicId } from "../../core/ids";
import { openBatch } from "../../db/batch";
import { untilFresh } from "../../db/fresh";
import { asId, asText, columns } from "../../db/rows";
import { inProject } from "../../db/scope";
import { type Statement, selectFirst } from "../../db/statement";
import { type SegmentRow, segments } from "../../db/tables";
import { isTrouble } from "../../db/trouble";
import { insertRow } from "../../db/write-row";
import { type CheckedCondition, checkCondition } from "../../engine/audience/named-segments";
import { replaceReferences } from "../../engine/audience/record-references";
import { recordChange } from "../../engine/audit/record-change";
import { getEntry, noteIn, rowIn, takeOut } from "../../engine/trash/entry";
import { insertAnswer } from "../../engine/trash/keyed";
import { needsOf, requireNeeds } from "../../engine/trash/needs";
import { type Context, clockOf } from "../../platform/context";
import { reasonOf } from "../../platform/log";
import { auditedSegment } from "./audited";
import { upsertSilentComputation } from "./computation";
import { guardQuota } from "./condition-quota";
import { countSegment, insertMemberCount } from "./count";
import { getSegment, segmentJson } from "./segment";

/**
 * Restores a segment from the trash. Its member rows have stayed, except those of contacts that were erased since. The
 * next computation of a tracked segment therefore records events only for contacts that entered or left meanwhile.
 * Throws NotFound, and Conflict when another segment has the slug now, when the condition names what is gone, and when
 * the project has too many segments.
 */
export async function restoreSegment(ctx: Context, id: Id): Promise<ReturnType<typeof segmentJson>> {
  await untilFresh(() => restore(ctx, id), ctx.random);
  await recount(ctx, id);
  return segmentJson(ctx.project, await getSegment(ctx, id));
}

async function restore(ctx: Context, id: Id): Promise<void> {
  const entry = await getEntry(ctx, "segment", id);
  const row = rowIn(entry, segments);
  const { condition, name } = row;
  const needs = condition ? await requireNeeds(ctx, "segment", needsOf(condition)) : [];
  const checked = condition ? [(await checkAgain(ctx, row)).unmoved] : [];
  const batch = openBatch(ctx);
  takeOut(batch, ctx, entry);
  recordChange(batch, ctx, auditedSegment(ctx, id));
  batch.addAll([...needs, ...guardQuota(ctx, id, condition), ...checked]);
  batch.addAll(replaceReferences(ctx, { referrer: "segment", id, name }, condition ? referencesOf(condition) : {}));
  batch.add(insertStale(ctx, row));
  if (condition === null) batch.add(insertMemberCount(ctx, id));
  // When the segment was deleted, its members had yet to be recorded without events, so the recording begins again.
  if (noteIn(entry)) batch.addAll(upsertSilentComputation(ctx, id, newId()));
  batch.addAll(await insertAnswer(ctx, entry, () => segmentJson(ctx.project, row)));
  await batch.commit();
}

/** Checks a condition against the segments that it names, which may have changed since the deletion. */
async function checkAgain(ctx: Context, { condition, id }: SegmentRow): Promise<CheckedCondition> {
  try {
    if (condition === null) throw new Error(`The segment ${publicId(id)} has no condition`);
    return await checkCondition(ctx, condition);
  } catch (error) {
    if (error instanceof Invalid) throw conditionMisfits(error);
    throw error;
  }
}

/** Inserts the row of a segment whose members have to be counted and computed again. */
function insertStale(ctx: Context, row: SegmentRow): Statement<SegmentRow> {
  const now = ctx.now.getTime();
  const isDynamic = row.condition !== null;
  return insertRow(
    segments,
    {
      ...{ ...row, clock: clockOf(ctx), countedOf: null, computedAt: null, computedOf: null },
      ...{ nextCountAt: isDynamic ? now : null, nextComputeAt: isDynamic && row.trackMembership ? now : null },
    },
    {
      refusals: [
        {
          on: { unique: "segments.project_id, segments.slug" },
          refuse: async () => slugTaken(row.slug, await findBySlug(ctx, row.slug)),
        },
      ],
    },
  );
}

const readOther = columns({ id: asId, name: asText });

async function findBySlug(ctx: Context, slug: string): Promise<{ id: string; name: string } | null> {
  const query = sql`SELECT id, name FROM segments WHERE ${inProject(ctx)} AND slug = ${slug}`;
  const found = await selectFirst(ctx.db, query, readOther);
  return found && { id: publicId(found.id), name: found.name };
}

/**
 * Counts the members, of which some may have been erased. The segment is restored already, so the call succeeds also if
 * the database does not answer, or if other calls keep changing the members. The job or the sweep that the batch of the
 * restore has left then counts them.
 */
async function recount(ctx: Context, id: Id): Promise<void> {
  try {
    await countSegment(ctx, await getSegment(ctx, id));
  } catch (error) {
    if (!isTrouble(error) && !(error instanceof Conflict)) throw error;
    ctx.log("warn", "The members of a restored segment are counted later", { reason: reasonOf(error) });
  }
}

export function slugTaken(slug: string, by: { id: string; name: string } | null): Conflict {
  return new Conflict(`Another segment now has the slug ${slug}, which names its events. Nothing was restored.`, {
    suggestion: "Delete the segment in details, then restore this one again.",
    details: { slug, segment: by },
  });
}

function conditionMisfits(cause: Invalid): Conflict {
  return new Conflict("The condition no longer fits the segments that it names. Nothing was restored.", {
    suggestion: "Change the segments that the condition names, as details says, then restore this one again.",
    details: { errors: cause.faults },
    cause,
  });
}
