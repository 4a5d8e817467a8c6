import { z } from "zod";
import { asId, type Id, publicId } from "../../../core/ids";
import { iso, isoOrNull } from "../../../core/time";
import type { JobRow } from "../../../db/tables";
import { getJob } from "../../../engine/jobs/job";
import type { Context } from "../../../platform/context";
import { BulkError, BulkOperation, BulkResult } from "./schema";

/** The input of a bulk job. Each contact occurs once. */
export const BulkInput = z.object({ operation: BulkOperation, contactIds: z.array(z.string().transform(asId)) });
export type BulkInput = z.infer<typeof BulkInput>;

/** The number of contacts that are done. */
export const BulkState = z.object({ done: z.number() });
export type BulkState = z.infer<typeof BulkState>;

/** The contacts of one job step, and the job's progress after it. */
export interface BulkStep {
  ids: Id[];
  done: number;
  progress: number;
}

export function resultOf(row: JobRow): BulkResult {
  return row.result === null ? { succeeded: 0, unchanged: 0, failed: 0 } : BulkResult.parse(row.result);
}

export function bulkJson(row: JobRow) {
  const { operation, contactIds } = BulkInput.parse(row.input);
  const { succeeded, unchanged, failed } = resultOf(row);
  return {
    jobId: publicId(row.id),
    operation,
    status: row.status,
    progress: row.progress,
    totalRequested: contactIds.length,
    succeeded,
    unchanged,
    failed,
    errors: row.errors.map((error) => BulkError.parse(error)),
    ...(row.reason === null ? {} : { reason: row.reason }),
    createdAt: iso(row.createdAt),
    completedAt: isoOrNull(row.completedAt),
  };
}

export function getBulk(ctx: Context, id: Id): Promise<JobRow> {
  return getJob(ctx, id, "contacts.bulk");
}
