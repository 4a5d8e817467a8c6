import { z } from "zod";
import { Mapping, mapsMoved } from "../../../core/contacts/csv-mapping";
import { UnheededRows, warningsOf } from "../../../core/contacts/unheeded-rows";
import { type Id, publicId, textOf } from "../../../core/ids";
import { dayMs, iso, isoOrNull } from "../../../core/time";
import type { JobRow } from "../../../db/tables";
import { getJob } from "../../../engine/jobs/job";
import { blobKey } from "../../../platform/blobs";
import type { Context } from "../../../platform/context";
import { SkippedRow } from "./schema";

/**
 * The options of the upload. `takesSubscribed`: the file sets subscriptions. `takesAll`: the file sets the columns that
 * describe the contact itself, such as `createdAt`.
 */
const asked = {
  takesSubscribed: z.boolean().default(false),
  takesAll: z.boolean().default(false),
  mapping: Mapping.optional(),
};

/** The state of an import whose file is stored but not read yet. */
export const Uploaded = z.object({ phase: z.literal("uploaded"), ...asked });
export type Uploaded = z.infer<typeof Uploaded>;

/**
 * The phases of an import. The file is deleted in the phase "over", and only then does the job end, so that no file is
 * left behind.
 */
export const ImportState = z.discriminatedUnion("phase", [
  Uploaded,
  z.object({ phase: z.literal("importing"), ...asked, cursor: z.number(), row: z.number() }),
  z.object({ phase: z.literal("over"), fault: z.string().optional() }),
]);
export type ImportState = z.infer<typeof ImportState>;

/** The options of an upload. */
export type Asked = Pick<Uploaded, keyof typeof asked>;

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

/** The most skipped rows that are listed one by one. */
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

export function getImport(ctx: Context, id: Id): Promise<JobRow> {
  return getJob(ctx, id, "contacts.import");
}

/** Returns the key of the uploaded file. */
export function fileKey(ctx: Context, jobId: Id): string {
  return blobKey("import", ctx.project.id, textOf(jobId));
}
