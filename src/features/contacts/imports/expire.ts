import { sql } from "drizzle-orm";
import { openBatch } from "../../../db/batch";
import { inProject } from "../../../db/scope";
import type { JobRow } from "../../../db/tables";
import { deleteJobs } from "../../../engine/jobs/job";
import { updateQueued } from "../../../engine/jobs/queue-job";
import { guardState, type Step } from "../../../engine/jobs/step";
import type { Context } from "../../../platform/context";
import { fileKeysOf, uploadOf } from "../import/import-job";

/**
 * Runs the step of an import whose upload is not complete: deletes the job and its parts if the upload has expired. The
 * step can run earlier, after the start of a process or a restore. The job then waits again.
 */
export async function expireUpload(ctx: Context, row: JobRow): Promise<Step> {
  const expiresAt = uploadOf(row)?.expiresAt ?? 0;
  const isExpired = expiresAt <= ctx.realClock().getTime();
  const batch = openBatch(ctx);
  batch.add(guardState(ctx, row));
  if (isExpired) batch.add(deleteJobs(sql`${inProject(ctx)} AND id = ${row.id}`));
  else batch.add(updateQueued(ctx, { id: row.id, state: row.state, announcedAt: expiresAt }));
  await batch.commit();
  if (!isExpired) return "waits";
  await ctx.blobs.delete(fileKeysOf(ctx, row));
  return "ended";
}
