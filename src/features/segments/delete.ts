import { sql } from "drizzle-orm";
import { Conflict } from "../../core/errors";
import { newId } from "../../core/ids";
import { commit, GuardFailed, guard, statement } from "../../db/commit";
import { recordReferences } from "../../engine/audience/record-references";
import { referencesTo } from "../../engine/audience/usage";
import { announceJob, recordJob } from "../../engine/jobs/queue-job";
import type { Context } from "../../platform/context";
import { deleteMembers, isMemberLeft } from "./delete-members";
import { getSegment } from "./segment";

const used = "used";

/**
 * `DELETE /segments/{id}`. Throws NotFound, and Conflict while a condition or a campaign names it: who is about to name it
 * finds it gone, see audience.ts. Its first members go with it, and the others, which nobody finds any more, in a job.
 */
export async function deleteSegment(ctx: Context, id: string): Promise<void> {
  const { name } = await getSegment(ctx, id);
  const isNamed = sql`SELECT 1 FROM audience_references
    WHERE project_id = ${ctx.project.id} AND kind = 'segment' AND name = ${id}`;
  const jobId = newId();
  try {
    const results = await commit(ctx.db, [
      guard(ctx.db, used, sql`NOT EXISTS (${isNamed})`),
      ...recordReferences(ctx, { referrer: "segment", id, name }, {}),
      statement(ctx.db, sql`DELETE FROM segments WHERE project_id = ${ctx.project.id} AND id = ${id}`),
      deleteMembers(ctx, id),
      recordJob(ctx, {
        id: jobId,
        type: "segments.delete-members",
        input: { segmentId: id },
        onlyIf: isMemberLeft(ctx, id),
      }),
    ]);
    if (results.at(-1)?.length) await announceJob(ctx, "segments.delete-members", jobId);
  } catch (error) {
    if (!(error instanceof GuardFailed && error.guard === used)) throw error;
    throw await inUse(ctx, id);
  }
}

async function inUse(ctx: Context, id: string): Promise<Conflict> {
  const { usedInSegments, usedInCampaigns, usedInWorkflows } = await referencesTo(ctx, "segment", id);
  return new Conflict("This segment is in use. Nothing was deleted.", {
    suggestion: "Take it out of what details names, and delete it then.",
    details: { segments: usedInSegments, campaigns: usedInCampaigns, workflows: usedInWorkflows },
  });
}
