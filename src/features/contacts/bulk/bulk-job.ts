import { z } from "zod";
import { asId, type Id, publicId } from "../../../core/ids";
import { iso, isoOrNull } from "../../../core/time";
import type { Statement } from "../../../db/statement";
import type { JobRow } from "../../../db/tables";
import { getJob } from "../../../engine/jobs/job";
import type { Context } from "../../../platform/context";
import { BulkError, BulkOperation, BulkResult } from "./schema";

const storedId = z.string().transform(asId);

const ListedContacts = z.object({ operation: BulkOperation, contactIds: z.array(storedId) });
export type ListedContacts = z.infer<typeof ListedContacts>;

const MatchingContacts = z.object({
  operation: BulkOperation,
  /** A FilterCondition as JSON, which was checked when the job was started. */
  condition: z.string(),
  /**
   * The ids of the project's first and last contact at the time of the call (`at`). Null if the project had no
   * contacts.
   */
  first: storedId.nullable(),
  last: storedId.nullable(),
  at: z.number(),
});
export type MatchingContacts = z.infer<typeof MatchingContacts>;

/** The input of a bulk job: either a list of contacts without duplicates, or a condition that finds contacts. */
export const BulkInput = z.union([ListedContacts, MatchingContacts]);
export type BulkInput = z.infer<typeof BulkInput>;

/** How far the job is: how many listed contacts are done, or up to which id the contacts were searched for matches. */
export const BulkState = z.union([z.object({ done: z.number() }), z.object({ after: storedId })]);
export type BulkState = z.infer<typeof BulkState>;

/** The contacts of one job step, and the job's state and progress after it. */
export interface BulkStep {
  ids: Id[];
  state: BulkState;
  progress: number;
  /** A guard that throws Stale unless all contacts of the step still match. Null for listed contacts. */
  stillMatching: Statement | null;
}

/** The maximum number of contacts that one step handles. A single batch changes all of them. */
export const contactsPerStep = 100;

export function resultOf(row: JobRow): BulkResult {
  return row.result === null ? { succeeded: 0, unchanged: 0, failed: 0 } : BulkResult.parse(row.result);
}

export function bulkJson(row: JobRow) {
  const input = BulkInput.parse(row.input);
  const { succeeded, unchanged, failed } = resultOf(row);
  const totalRequested = "contactIds" in input ? input.contactIds.length : succeeded + unchanged + failed;
  return {
    jobId: publicId(row.id),
    operation: input.operation,
    status: row.status,
    progress: row.progress,
    totalRequested,
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
