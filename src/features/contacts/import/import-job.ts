import { z } from "zod";
import { UnheededRows, warningsOf } from "../../../core/contacts/unheeded-rows";
import { type Id, publicId, textOf } from "../../../core/ids";
import { iso, isoOrNull } from "../../../core/time";
import type { JobRow } from "../../../db/tables";
import { getJob } from "../../../engine/jobs/job";
import { blobKey } from "../../../platform/blobs";
import type { Context } from "../../../platform/context";
import { SkippedRow } from "./schema";

/** What the upload asked for: whether the file says who is subscribed, and brings all else. Earlier jobs do not say. */
const asked = { takesSubscribed: z.boolean().default(false), takesAll: z.boolean().default(false) };

/** How far an import is. The file goes when it is over, and only then the job ends: so no file is left behind. */
export const ImportState = z.discriminatedUnion("phase", [
  z.object({ phase: z.literal("uploaded"), ...asked }),
  z.object({ phase: z.literal("importing"), ...asked, cursor: z.number(), row: z.number() }),
  z.object({ phase: z.literal("over"), fault: z.string().optional() }),
]);
export type ImportState = z.infer<typeof ImportState>;

/** What an upload asks for. */
export type Asked = Pick<Extract<ImportState, { phase: "uploaded" }>, "takesSubscribed" | "takesAll">;

/** What is told of an import, at any time of it. */
const ImportResult = z.object({
  totalRows: z.number(),
  imported: z.number(),
  updated: z.number(),
  skipped: z.number(),
  droppedColumns: z.array(z.string()),
  ...UnheededRows.shape,
});
export type ImportResult = z.infer<typeof ImportResult>;

/** Skipped rows that are told of one by one. */
export const maxErrors = 1_000;

const nothingYet: ImportResult = ImportResult.parse({
  ...{ totalRows: 0, imported: 0, updated: 0, skipped: 0 },
  droppedColumns: [],
});

export function resultOf(row: JobRow): ImportResult {
  return row.result === null ? nothingYet : ImportResult.parse(row.result);
}

export function importJson(row: JobRow) {
  const { totalRows, imported, updated, skipped, droppedColumns, ...unheeded } = resultOf(row);
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
    createdAt: iso(row.createdAt),
    completedAt: isoOrNull(row.completedAt),
  };
}

export function getImport(ctx: Context, id: Id): Promise<JobRow> {
  return getJob(ctx, id, "contacts.import");
}

/** Where the uploaded file lies. */
export function fileKey(ctx: Context, jobId: Id): string {
  return blobKey("import", ctx.project.id, textOf(jobId));
}
