import { z } from "zod";
import { Mapping, mapsMoved, mapsSubscribed } from "../../../core/contacts/csv-mapping";
import { UnheededRows, warningsOf } from "../../../core/contacts/unheeded-rows";
import { NotFound } from "../../../core/errors";
import { type Id, publicId, textOf } from "../../../core/ids";
import { dayMs, iso, isoOrNull } from "../../../core/time";
import type { JobRow } from "../../../db/tables";
import { getJob } from "../../../engine/jobs/job";
import { blobKey } from "../../../platform/blobs";
import type { Context } from "../../../platform/context";
import { SkippedRow } from "./schema";

/** A part of the file. `tag` identifies the stored content, so that the import notices when a part was replaced. */
export const StoredPart = z.object({ bytes: z.number(), tag: z.string() });
export type StoredPart = z.infer<typeof StoredPart>;

/** The description of an upload by parts, as the job of its import stores it. */
export const Upload = z.object({
  name: z.string().nullable(),
  bytes: z.number(),
  /** The size of each part except the last. */
  partBytes: z.number(),
  expiresAt: z.number(),
});
export type Upload = z.infer<typeof Upload>;

/**
 * The options of the upload. `takesSubscribed`: the file sets subscriptions. `takesAll`: the file sets the columns that
 * describe the contact itself, such as `createdAt`.
 */
const asked = {
  takesSubscribed: z.boolean().default(false),
  takesAll: z.boolean().default(false),
  mapping: Mapping.optional(),
};

/** The file and the options of an import. Without `parts`, the file is stored as a whole. */
const file = { ...asked, parts: z.array(StoredPart).optional() };

/** The place at which a row begins. `cursor` counts characters in a whole file, and bytes in a file in parts. */
const place = { cursor: z.number(), row: z.number() };

/**
 * The state of an import whose file is stored but not read yet. Files in parts have phases of their own. Version 1.0.0
 * does not know these phases, so it returns the messages of such an import to the queue.
 */
export const Uploaded = z.object({ phase: z.literal(["uploaded", "uploaded-parts"]), ...file });
export type Uploaded = z.infer<typeof Uploaded>;

/** The state of an import that continues at a row. */
export const Importing = z.object({ phase: z.literal(["importing", "importing-parts"]), ...file, ...place });
export type Importing = z.infer<typeof Importing>;

/** The state of an import whose parts may still arrive. The job is due when the upload expires. */
export const Uploading = z.object({ phase: z.literal("uploading"), ...asked });

/**
 * The phases of an import. All rows are counted before the first is imported, so that a file with a fault imports
 * nothing; a file in parts is counted in several steps. The file is deleted in the phase "over", and only then does the
 * job end, so that no file is left behind.
 */
export const ImportState = z.discriminatedUnion("phase", [
  Uploading,
  Uploaded,
  z.object({ phase: z.literal("counting"), ...file, ...place }),
  Importing,
  z.object({ phase: z.literal("over"), fault: z.string().optional() }),
]);
export type ImportState = z.infer<typeof ImportState>;

/** The options of an upload. */
export type Asked = Pick<Uploaded, keyof typeof asked>;

/** Whether an import sets subscriptions from a column of the file. */
export function readsSubscribed({ takesSubscribed, mapping = {} }: Asked): boolean {
  return takesSubscribed || mapsSubscribed(mapping);
}

/** Whether an import uses columns that describe the contact itself, such as `createdAt`. */
export function bringsMoved({ takesAll, mapping = {} }: Asked): boolean {
  return takesAll || mapsMoved(mapping);
}

/** The figures of an import up to now. */
const ImportResult = z.object({
  totalRows: z.number(),
  imported: z.number(),
  updated: z.number(),
  skipped: z.number(),
  droppedColumns: z.array(z.string()),
  ...UnheededRows.shape,
  /** The job that undoes the import; set once the undo was requested. */
  undoJobId: z.string().optional(),
});
export type ImportResult = z.infer<typeof ImportResult>;

/** The maximum number of skipped rows that are listed one by one. */
export const maxErrors = 1_000;

const nothingYet: ImportResult = ImportResult.parse({
  ...{ totalRows: 0, imported: 0, updated: 0, skipped: 0 },
  droppedColumns: [],
});

export function resultOf(row: JobRow): ImportResult {
  return row.result === null ? nothingYet : ImportResult.parse(row.result);
}

export function importJson(row: JobRow) {
  const { totalRows, imported, updated, skipped, droppedColumns, undoJobId, ...unheeded } = resultOf(row);
  const warnings = warningsOf(unheeded);
  return {
    jobId: publicId(row.id),
    status: row.status,
    progress: row.progress,
    totalRows,
    imported,
    updated,
    skipped,
    droppedColumns,
    errors: row.errors.map((error) => SkippedRow.parse(error)),
    ...(skipped > maxErrors ? { errorsTruncated: true as const } : {}),
    ...(row.reason === null ? {} : { reason: row.reason }),
    ...(warnings.length > 0 ? { warnings } : {}),
    undoableUntil: isoOrNull(undoableUntil(row)),
    ...(undoJobId === undefined ? {} : { undoJobId }),
    createdAt: iso(row.createdAt),
    completedAt: isoOrNull(row.completedAt),
  };
}

/** Returns the time until which an import can be undone, or null while the import runs. */
export function undoableUntil({ completedAt }: JobRow): number | null {
  return completedAt === null ? null : completedAt + dayMs;
}

/** Returns the job of an import. Throws NotFound, also while the file of the import is being uploaded. */
export async function getImport(ctx: Context, id: Id): Promise<JobRow> {
  const row = await getJob(ctx, id, "contacts.import");
  if (isUploading(row)) throw new NotFound("job", id);
  return row;
}

/** Whether an import waits for the parts of its file. */
export function isUploading({ state }: JobRow): boolean {
  return Uploading.safeParse(state).success;
}

/** Returns the key of the uploaded file. */
export function fileKey(ctx: Context, jobId: Id): string {
  return blobKey("import", ctx.project.id, textOf(jobId));
}

/** Returns the prefix of the keys of a file in parts. */
export function partsPrefix(ctx: Context, jobId: Id): string {
  return `${fileKey(ctx, jobId)}/`;
}

/** Returns the key of a part. Parts are numbered from 1, and their keys are in order. */
export function partKey(ctx: Context, jobId: Id, number: number): string {
  return `${partsPrefix(ctx, jobId)}${String(number).padStart(5, "0")}`;
}

/** Returns the upload to which a job belongs; null for an import whose file came with its call. */
export function uploadOf({ input }: JobRow): Upload | null {
  return Upload.safeParse(input).data ?? null;
}

/** Returns how many bytes each part of an upload has. */
export function partSizes({ bytes, partBytes }: Pick<Upload, "bytes" | "partBytes">): number[] {
  return Array.from({ length: Math.ceil(bytes / partBytes) }, (_, at) => Math.min(partBytes, bytes - at * partBytes));
}

/** Returns the keys of all files of an import. */
export function fileKeysOf(ctx: Context, row: JobRow): string[] {
  const upload = uploadOf(row);
  if (upload === null) return [fileKey(ctx, row.id)];
  return partSizes(upload).map((_, index) => partKey(ctx, row.id, index + 1));
}
