import { sql } from "drizzle-orm";
import { Conflict } from "../../core/errors";
import { type Id, textOf } from "../../core/ids";
import { openBatch } from "../../db/batch";
import { isDeleted } from "../../db/own-rows";
import { inProject } from "../../db/scope";
import { type Statement, statement } from "../../db/statement";
import { replaceReferences } from "../../engine/audience/record-references";
import { referencesTo } from "../../engine/audience/usage";
import { recordChange } from "../../engine/audit/record-change";
import { putAway } from "../../engine/trash/put-away";
import type { Context } from "../../platform/context";
import { auditedSegment } from "./audited";
import { isBeingRecorded } from "./computation";
import { getSegment } from "./segment";

/**
 * Implements `DELETE /segments/{id}`: puts the segment into the trash. Throws NotFound, and Conflict while a condition
 * or a campaign names the segment. A concurrent call that is about to name the segment finds it deleted: see
 * `CheckedCondition`. The member rows stay until the entry is purged, and are not read until then.
 */
export async function deleteSegment(ctx: Context, id: Id): Promise<void> {
  const { name } = await getSegment(ctx, id);
  const isNamed = sql`SELECT 1 FROM audience_references
    WHERE ${inProject(ctx)} AND kind = 'segment' AND name = ${id}`;
  const batch = openBatch(ctx);
  batch.recognise(isDeleted("segments", ctx, id));
  batch.guard(sql`NOT EXISTS (${isNamed})`, async () => segmentInUse(await referencesTo(ctx, "segment", textOf(id))));
  recordChange(batch, ctx, auditedSegment(ctx, id));
  batch.addAll(replaceReferences(ctx, { referrer: "segment", id, name }, {}));
  putAway(batch, ctx, { type: "segment", id, note: isBeingRecorded(ctx, id) });
  batch.add(deleteRow(ctx, id));
  await batch.commit();
}

function deleteRow(ctx: Context, id: Id): Statement {
  return statement(sql`DELETE FROM segments WHERE ${inProject(ctx)} AND id = ${id}`);
}

type SegmentUsage = Awaited<ReturnType<typeof referencesTo>>;

export function segmentInUse({ usedInSegments, usedInCampaigns, usedInWorkflows }: SegmentUsage): Conflict {
  return new Conflict("This segment is in use. Nothing was deleted.", {
    suggestion: "Remove the segment from everything listed in details, then delete it again.",
    details: { segments: usedInSegments, campaigns: usedInCampaigns, workflows: usedInWorkflows },
  });
}
