import { sql } from "drizzle-orm";
import { Conflict } from "../../core/errors";
import { type Id, newId, textOf } from "../../core/ids";
import { openBatch } from "../../db/batch";
import { isDeleted } from "../../db/own-rows";
import { inProject } from "../../db/scope";
import { type Statement, statement } from "../../db/statement";
import { replaceReferences } from "../../engine/audience/record-references";
import { referencesTo } from "../../engine/audience/usage";
import { announceJob, insertJob } from "../../engine/jobs/queue-job";
import type { Context } from "../../platform/context";
import { deleteMembers, isMemberLeft } from "./delete-members";
import { getSegment } from "./segment";

/**
 * Implements `DELETE /segments/{id}`. Throws NotFound, and Conflict while a condition or a campaign names the segment.
 * A concurrent call that is about to name the segment finds it deleted: see `CheckedCondition`. The same batch deletes
 * the first member rows. A job deletes the other member rows, which are no longer read.
 */
export async function deleteSegment(ctx: Context, id: Id): Promise<void> {
  const { name } = await getSegment(ctx, id);
  const isNamed = sql`SELECT 1 FROM audience_references
    WHERE ${inProject(ctx)} AND kind = 'segment' AND name = ${id}`;
  const jobId = newId();
  const batch = openBatch(ctx);
  batch.recognise(isDeleted("segments", ctx, id));
  batch.guard(sql`NOT EXISTS (${isNamed})`, async () => segmentInUse(await referencesTo(ctx, "segment", textOf(id))));
  batch.addAll(replaceReferences(ctx, { referrer: "segment", id, name }, {}));
  batch.addAll([deleteRow(ctx, id), deleteMembers(ctx, id)]);
  const left = batch.add(
    insertJob(ctx, {
      id: jobId,
      type: "segments.delete-members",
      input: { segmentId: textOf(id) },
      onlyIf: isMemberLeft(ctx, id),
    }),
  );
  await batch.commit();
  if (left.first) await announceJob(ctx, "segments.delete-members", jobId);
}

function deleteRow(ctx: Context, id: Id): Statement {
  return statement(sql`DELETE FROM segments WHERE ${inProject(ctx)} AND id = ${id}`);
}

type SegmentUsage = Awaited<ReturnType<typeof referencesTo>>;

export function segmentInUse({ usedInSegments, usedInCampaigns, usedInWorkflows }: SegmentUsage): Conflict {
  return new Conflict("This segment is in use. Nothing was deleted.", {
    suggestion: "Remove it from everything listed in details, then delete it again.",
    details: { segments: usedInSegments, campaigns: usedInCampaigns, workflows: usedInWorkflows },
  });
}
