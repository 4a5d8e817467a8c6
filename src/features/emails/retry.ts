import { sql } from "drizzle-orm";
import { Conflict, Gone } from "../../core/errors";
import { type Id, publicId } from "../../core/ids";
import { MonthlyLimitReached } from "../../core/mail/errors";
import type { EmailStatus } from "../../core/mail/status";
import { monthOf } from "../../core/time";
import { openBatch } from "../../db/batch";
import { rowById } from "../../db/own-rows";
import { asId, asPriority, columns } from "../../db/rows";
import { inProject } from "../../db/scope";
import { statement } from "../../db/statement";
import { updateMarked, updateOpen } from "../../engine/campaigns/mark-pages";
import { announceEmails, announceGraceMs } from "../../engine/mail/announce";
import { contentGone, findContent } from "../../engine/mail/content";
import { settledBy } from "../../engine/mail/report/report";
import { isWithinLimit, upsertUsage } from "../../engine/projects/monthly-usage";
import type { Context } from "../../platform/context";
import { getEmail } from "./email";

/**
 * Statuses in which a person may send an email again. They include UNKNOWN, although the email may have arrived: the
 * person decides whether to risk that.
 */
const retryable = ["FAILED", "UNKNOWN", "CANCELLED"];

export function notRetryable(status: EmailStatus): Conflict {
  return new Conflict(`This email is ${status}. Only emails that are ${retryable.join(", ")} can be sent again.`);
}

/**
 * Queues an email again, with a new count of tries. The row and its content stay the same. An email that was never sent
 * had given back its quota of the month, so it takes it again. A scheduled email still waits for its time.
 */
export async function retryEmail(ctx: Context, id: Id): Promise<{ id: string; status: "QUEUED" }> {
  const email = await getEmail(ctx, id);
  if (!retryable.includes(email.status)) throw notRetryable(email.status);
  if (!(await findContent(ctx, email))) throw new Gone(contentGone);
  const { monthlySendLimit } = ctx.project;
  const isUncounted = email.status !== "UNKNOWN";
  const month = monthOf(new Date(email.createdAt));
  const now = ctx.now.getTime();
  const at = Math.max(now, email.scheduledAt ?? now);
  const isOpen = sql`${inProject(ctx)} AND id = ${id} AND NOT is_forgotten
    AND status IN (SELECT value FROM json_each(${JSON.stringify(retryable)}))`;
  const batch = openBatch(ctx);
  batch.recognise(sql`EXISTS (${rowById("emails", ctx, id)} AND retried_at = ${now})`);
  if (email.campaignId !== null) batch.addAll([updateOpen(isOpen), updateMarked(ctx, { where: isOpen })]);
  batch.add(
    upsertUsage(
      sql`SELECT project_id, ${month}, ${email.templateId ?? ""}, 1 FROM emails WHERE ${isOpen} AND status <> 'UNKNOWN'`,
    ),
  );
  const reopened = batch.add(
    statement(
      sql`UPDATE emails SET status = 'QUEUED', error = NULL, round = NULL, uncertain_since = NULL, attempts = 0,
          retried_at = ${now}, settled_by = ${settledBy("person")}, abandonments = 0, ended_at = NULL, next_attempt_at = ${at},
          due_at = ${at > now ? at : now + announceGraceMs}
        WHERE ${isOpen} RETURNING id, priority`,
      columns({ id: asId, priority: asPriority }),
      { again: rowById("emails", ctx, id) },
    ),
  );
  if (monthlySendLimit !== null) {
    const isWithin = sql`NOT ${isUncounted} OR ${isWithinLimit(ctx, month, monthlySendLimit)}`;
    batch.guard(isWithin, () => new MonthlyLimitReached(monthlySendLimit));
  }
  await batch.commit();
  if (reopened.count === 0) {
    const { isForgotten, status } = await getEmail(ctx, id);
    throw isForgotten ? new Gone(contentGone) : notRetryable(status);
  }
  if (at === now) await announceEmails(ctx, reopened.all);
  return { id: publicId(id), status: "QUEUED" };
}
