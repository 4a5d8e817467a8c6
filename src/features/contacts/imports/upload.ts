import { and, eq } from "drizzle-orm";
import { Conflict, NotFound } from "../../../core/errors";
import { type Id, publicId } from "../../../core/ids";
import { iso } from "../../../core/time";
import { inProject } from "../../../db/scope";
import { type JobRow, jobs } from "../../../db/tables";
import type { Context } from "../../../platform/context";
import {
  isUploading,
  partKey,
  partSizes,
  partsPrefix,
  type StoredPart,
  type Upload,
  uploadOf,
} from "../import/import-job";
import { partUrls } from "./part-url";

/** An import whose file comes in parts. Its job exists from the start, and waits until the upload is complete. */
export interface UploadRow {
  row: JobRow;
  upload: Upload;
  /** Whether parts may still arrive. */
  isOpen: boolean;
}

/** Returns an upload. Throws NotFound, also when it was not completed in time. */
export async function findUpload(ctx: Context, id: Id): Promise<UploadRow> {
  const row = await ctx.db
    .select()
    .from(jobs)
    .where(and(inProject(ctx), eq(jobs.id, id), eq(jobs.type, "contacts.import")))
    .get();
  const upload = row && uploadOf(row);
  if (!row || !upload) throw new NotFound("upload", id);
  const isOpen = isUploading(row);
  if (isOpen && upload.expiresAt <= ctx.realClock().getTime()) throw new NotFound("upload", id);
  return { row, upload, isOpen };
}

/** Returns the parts that have arrived, by their numbers. */
export async function arrivedParts(ctx: Context, { row, upload }: UploadRow): Promise<Map<number, StoredPart>> {
  const stored = new Map((await ctx.blobs.describe(partsPrefix(ctx, row.id))).map((file) => [file.key, file]));
  return new Map(
    partSizes(upload).flatMap((bytes, index) => {
      const file = stored.get(partKey(ctx, row.id, index + 1));
      return file?.bytes === bytes ? [[index + 1, { bytes, tag: file.tag }] as const] : [];
    }),
  );
}

/**
 * Returns an upload as callers see it. While it is open, each part has a URL that takes the part without a key, unless
 * the caller may not write.
 */
export async function uploadJson(ctx: Context, found: UploadRow, { hasUrls = true } = {}) {
  return describeUpload(ctx, found, { arrived: found.isOpen ? await arrivedParts(ctx, found) : null, hasUrls });
}

/** Returns an upload in its public form. `arrived` has the parts that have arrived; null for all of them. */
export function describeUpload(
  ctx: Context,
  { row, upload, isOpen }: { row: Pick<JobRow, "id" | "createdAt">; upload: Upload; isOpen: boolean },
  { arrived, hasUrls = true }: { arrived: ReadonlyMap<number, StoredPart> | null; hasUrls?: boolean },
) {
  const urls = isOpen && hasUrls ? partUrls(ctx, row.id, partSizes(upload).length) : [];
  const parts = partSizes(upload).map((bytes, index) => ({
    number: index + 1,
    bytes,
    received: arrived === null || arrived.has(index + 1),
    url: urls[index] ?? null,
  }));
  return {
    id: publicId(row.id),
    status: isOpen ? ("uploading" as const) : ("complete" as const),
    jobId: isOpen ? null : publicId(row.id),
    name: upload.name,
    bytes: upload.bytes,
    partBytes: upload.partBytes,
    parts,
    missing: parts.flatMap(({ number, received }) => (received ? [] : [number])),
    createdAt: iso(row.createdAt),
    expiresAt: iso(upload.expiresAt),
  };
}

export function alreadyComplete(): Conflict {
  return new Conflict("This upload is complete, and its import has begun. Nothing was changed.", {
    suggestion: "Poll GET /contacts/import/{jobId}; to undo the import, call POST /contacts/import/{jobId}/undo.",
  });
}
