import { sql } from "drizzle-orm";
import { Conflict, Gone, MonthlyLimitReached } from "../../core/errors";
import type { EmailStatus } from "../../core/mail/status";
import { monthOf } from "../../core/time";
import { openBatch } from "../../db/batch";
import { asText, columns } from "../../db/rows";
import { statement } from "../../db/statement";
import { announceEmails, announceGraceMs } from "../../engine/mail/announce";
import { findContent } from "../../engine/mail/content";
import type { Context } from "../../platform/context";
import { getEmail } from "./email";

/** Statuses from which a person may send an email once more. UNKNOWN is theirs to judge: it may have arrived. */
const retryable = ["FAILED", "UNKNOWN", "CANCELLED"];

function notRetryable(status: EmailStatus): Conflict {
  return new Conflict(`This email is ${status}: only ${retryable.join(", ")} ones can be sent again.`);
}

/**
 * Puts an email back in line, with a fresh count of tries. It is the same row, and says the same as before. A FAILED
 * one had given its place in the month back, and takes one again.
 */
export async function retryEmail(ctx: Context, id: string): Promise<{ id: string; status: "QUEUED" }> {
  const { email } = await getEmail(ctx, id);
  if (!retryable.includes(email.status)) throw notRetryable(email.status);
  if (!(await findContent(ctx, email))) throw new Gone("The content of this email is no longer kept.");
  const { monthlySendLimit } = ctx.project;
  const month = monthOf(new Date(email.createdAt));
  const now = ctx.now.getTime();
  const isOpen = sql`project_id = ${ctx.project.id} AND id = ${id}
    AND status IN (SELECT value FROM json_each(${JSON.stringify(retryable)}))`;
  const batch = openBatch(ctx);
  batch.add(
    statement(
      sql`INSERT INTO monthly_usage (project_id, month, emails)
        SELECT project_id, ${month}, 1 FROM emails WHERE ${isOpen} AND status = 'FAILED'
        ON CONFLICT (project_id, month) DO UPDATE SET emails = emails + 1`,
    ),
  );
  const reopened = batch.add(
    statement(
      sql`UPDATE emails SET status = 'QUEUED', error = NULL, claim = NULL, handed_at = NULL, uncertain_since = NULL,
          attempts = 0, announcements = 0, abandonments = 0,
          next_attempt_at = ${now}, next_announce_at = ${now + announceGraceMs}
        WHERE ${isOpen} RETURNING id`,
      columns({ id: asText }),
    ),
  );
  if (monthlySendLimit !== null) {
    const isWithinLimit = sql`${email.status !== "FAILED"} OR NOT EXISTS (SELECT 1 FROM monthly_usage
      WHERE project_id = ${ctx.project.id} AND month = ${month} AND emails > ${monthlySendLimit})`;
    batch.guard(isWithinLimit, () => new MonthlyLimitReached(monthlySendLimit));
  }
  await batch.commit();
  if (reopened.count === 0) throw notRetryable((await getEmail(ctx, id)).email.status);
  await announceEmails(ctx, [id]);
  return { id, status: "QUEUED" };
}
