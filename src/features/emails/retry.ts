import { sql } from "drizzle-orm";
import { Conflict, Gone } from "../../core/errors";
import { type Id, publicId } from "../../core/ids";
import { MonthlyLimitReached } from "../../core/mail/errors";
import { type EmailStatus, retryableStatuses } from "../../core/mail/status";
import { monthOf } from "../../core/time";
import { openBatch } from "../../db/batch";
import { rowById } from "../../db/own-rows";
import { inProject } from "../../db/scope";
import { updateMarked, updateOpen } from "../../engine/campaigns/mark-pages";
import { contentGone, findContent } from "../../engine/mail/content";
import { isWithinLimit, upsertUsage } from "../../engine/projects/monthly-usage";
import type { Context } from "../../platform/context";
import { getEmail } from "./email";
import { announceReopened, updateReopened } from "./reopen";

const retryable: readonly EmailStatus[] = retryableStatuses;

export function notRetryable(status: EmailStatus): Conflict {
  return new Conflict(`This email is ${status}. Only emails that are ${retryable.join(", ")} can be sent again.`);
}

/**
 * Queues an email again, and counts its attempts from zero. The row and its content stay the same. An email that was
 * never sent gave its quota back to its month, so the retry uses quota again; a test takes none. A scheduled email still waits for its
 * time.
 */
export async function retryEmail(ctx: Context, id: Id): Promise<{ id: string; status: "QUEUED" }> {
  const email = await getEmail(ctx, id);
  if (!retryable.includes(email.status)) throw notRetryable(email.status);
  if (!(await findContent(ctx, email))) throw new Gone(contentGone);
  const { monthlySendLimit } = ctx.project;
  const takesQuota = email.status !== "UNKNOWN" && email.source !== "TEST";
  const month = monthOf(new Date(email.createdAt));
  const now = ctx.now.getTime();
  const isOpen = sql`${inProject(ctx)} AND id = ${id} AND NOT is_forgotten
    AND status IN (SELECT value FROM json_each(${JSON.stringify(retryable)}))`;
  const batch = openBatch(ctx);
  batch.recognise(sql`EXISTS (${rowById("emails", ctx, id)} AND retried_at = ${now})`);
  if (email.campaignId !== null) batch.addAll([updateOpen(isOpen), updateMarked(ctx, { where: isOpen })]);
  batch.add(
    upsertUsage(
      sql`SELECT project_id, ${month}, ${email.templateId ?? ""}, 1 FROM emails
        WHERE ${isOpen} AND status <> 'UNKNOWN' AND source <> 'TEST'`,
    ),
  );
  const reopened = batch.add({ ...updateReopened(isOpen, now), again: rowById("emails", ctx, id) });
  if (monthlySendLimit !== null) {
    const isWithin = sql`NOT ${takesQuota} OR ${isWithinLimit(ctx, month, monthlySendLimit)}`;
    batch.guard(isWithin, () => new MonthlyLimitReached(monthlySendLimit));
  }
  await batch.commit();
  if (reopened.count === 0) {
    const { isForgotten, status } = await getEmail(ctx, id);
    throw isForgotten ? new Gone(contentGone) : notRetryable(status);
  }
  await announceReopened(ctx, reopened.all, now);
  return { id: publicId(id), status: "QUEUED" };
}
