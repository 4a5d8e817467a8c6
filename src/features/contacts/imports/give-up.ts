import { sql } from "drizzle-orm";
import type { Id } from "../../../core/ids";
import { openBatch } from "../../../db/batch";
import { isDeleted } from "../../../db/own-rows";
import { inProject } from "../../../db/scope";
import { deleteJobs } from "../../../engine/jobs/job";
import type { Context } from "../../../platform/context";
import { fileKeysOf } from "../import/import-job";
import { alreadyComplete, findUpload } from "./upload";

/**
 * Implements `DELETE /contacts/imports/{id}`. The job is deleted before the parts, so that no import can begin without
 * its parts. Parts that are left behind, or that still arrive, have no row, and the sweep for orphans removes them.
 */
export async function giveUpUpload(ctx: Context, id: Id): Promise<void> {
  const { row, isOpen } = await findUpload(ctx, id);
  if (!isOpen) throw alreadyComplete();
  const isThis = sql`${inProject(ctx)} AND id = ${row.id}`;
  const batch = openBatch(ctx);
  batch.recognise(isDeleted("jobs", ctx, row.id));
  batch.guard(sql`NOT EXISTS (SELECT 1 FROM jobs WHERE ${isThis} AND state->>'phase' <> 'uploading')`, () =>
    alreadyComplete(),
  );
  batch.add(deleteJobs(isThis));
  await batch.commit();
  await ctx.blobs.delete(fileKeysOf(ctx, row));
}
