import { maxCsvBytes } from "../../../core/contacts/csv";
import { TooLarge } from "../../../core/errors";
import { type Id, newId } from "../../../core/ids";
import { openBatch } from "../../../db/batch";
import { isInserted } from "../../../db/own-rows";
import { announceJob, insertJob } from "../../../engine/jobs/queue-job";
import type { Context } from "../../../platform/context";
import { type Asked, fileKey, ImportState } from "./import-job";

/**
 * `POST /contacts/import`. The file is stored first, so that a job always has one. When it is unknown whether the job's
 * row was written, the file stays: an orphaned file does less harm than a missing one.
 */
export async function startImport(ctx: Context, file: Uint8Array, asked: Partial<Asked> = {}): Promise<Id> {
  if (file.byteLength > maxCsvBytes) throw new TooLarge(maxCsvBytes);
  const id = newId();
  await ctx.blobs.put(fileKey(ctx, id), file);
  const state = ImportState.parse({ phase: "uploaded", ...asked });
  const batch = openBatch(ctx);
  batch.recognise(isInserted("jobs", ctx, id));
  batch.add(insertJob(ctx, { id, type: "contacts.import", state }));
  await batch.commit();
  await announceJob(ctx, "contacts.import", id);
  return id;
}
