import { maxCsvBytes } from "../../../core/contacts/csv";
import { Invalid, TooLarge } from "../../../core/errors";
import { type Id, newId } from "../../../core/ids";
import { openBatch } from "../../../db/batch";
import { isInserted } from "../../../db/own-rows";
import { announceJob, insertJob } from "../../../engine/jobs/queue-job";
import type { Context } from "../../../platform/context";
import { type Asked, fileKey, Uploaded } from "./import-job";
import { fileFault, openFile } from "./open-file";

/**
 * Implements `POST /contacts/import`. The file is stored first, so that a job always has a file. When it is unknown
 * whether the job's row was written, the file is kept: an orphaned file does less harm than a missing one.
 */
export async function startImport(ctx: Context, file: Uint8Array, given: Partial<Asked> = {}): Promise<Id> {
  if (file.byteLength > maxCsvBytes) throw fileTooLarge();
  const state = Uploaded.parse({ phase: "uploaded", ...given });
  if (state.mapping !== undefined) await checkMapped(ctx, file, state);
  const id = newId();
  await ctx.blobs.put(fileKey(ctx, id), file);
  const batch = openBatch(ctx);
  batch.recognise(isInserted("jobs", ctx, id));
  batch.add(insertJob(ctx, { id, type: "contacts.import", state }));
  await batch.commit();
  await announceJob(ctx, "contacts.import", id);
  return id;
}

export function fileTooLarge(): TooLarge {
  return new TooLarge(maxCsvBytes, {
    what: "The file",
    suggestion: "Upload it in parts: POST /contacts/imports takes files of up to 100 MB.",
  });
}

/** Refuses a mapping that does not fit the file. The job reports all other faults of the file. */
async function checkMapped(ctx: Context, file: Uint8Array, asked: Asked): Promise<void> {
  const csv = await openFile(ctx, file, asked);
  if ("fault" in csv && csv.mapped !== undefined) throw new Invalid([fileFault(csv)]);
}
