import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { type Id, asId as idOf, textOf } from "../../../core/ids";
import { type RetryableStatus, retryableStatuses } from "../../../core/mail/status";
import { inProject } from "../../../db/scope";
import type { JobRow } from "../../../db/tables";
import type { Context } from "../../../platform/context";
import { RetryResult } from "./schema";

const StoredId = z.string().transform(idOf);

export const RetryInput = z.object({
  status: z.enum(retryableStatuses),
  campaignId: StoredId.nullable(),
  /** The first and the last email that can match; null if no email can. */
  range: z.object({ first: StoredId, last: StoredId }).nullable(),
});
export type RetryInput = z.infer<typeof RetryInput>;

/** The state of the job: `after` is the last email that it has processed. */
const RetryState = z.object({ after: StoredId });

export function stateOf(row: JobRow): { after: Id } {
  return RetryState.parse(row.state);
}

export function stateAfter(emailId: Id): { after: string } {
  return { after: textOf(emailId) };
}

export function resultOf(row: JobRow): RetryResult {
  const none = { retried: 0, skipped: { content_gone: 0, monthly_limit: 0 } };
  return row.result === null ? none : RetryResult.parse(row.result);
}

/**
 * Returns what follows FROM in a search for emails with a status. The search covers all emails with the status, and
 * possibly others, because cancelled emails have no index. An index or the primary key yields the emails in the order
 * of time.
 */
export function candidates(ctx: Context, status: RetryableStatus): SQL {
  return status === "CANCELLED"
    ? sql`emails WHERE ${inProject(ctx)}`
    : sql`emails INDEXED BY ix_emails_unsent WHERE ${inProject(ctx)} AND status IN ('FAILED', 'UNKNOWN')`;
}
