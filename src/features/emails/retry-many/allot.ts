import { sql } from "drizzle-orm";
import type { RetryableStatus } from "../../../core/mail/status";
import type { Batch } from "../../../db/batch";
import { Stale } from "../../../db/fresh";
import { findUsed, isWithinLimit, upsertUsage } from "../../../engine/projects/monthly-usage";
import type { Context } from "../../../platform/context";
import type { Ended } from "./find-ended";

/**
 * The emails that are sent again, the number of emails whose content is gone, and the number of emails for which the
 * month's quota is used up.
 */
export interface Allotted {
  retried: Ended[];
  gone: number;
  overLimit: number;
}

/**
 * Decides which emails are sent again. An email that was never sent gave its quota back to its month, so a retry uses
 * quota again. The oldest emails get what is left of the quota.
 */
export async function allot(ctx: Context, status: RetryableStatus, ended: Ended[]): Promise<Allotted> {
  const stored = ended.filter(({ isGone }) => !isGone);
  const gone = ended.length - stored.length;
  const { monthlySendLimit } = ctx.project;
  if (monthlySendLimit === null || status === "UNKNOWN") return { retried: stored, gone, overLimit: 0 };
  const used = await findUsed(ctx, [...new Set(stored.map(({ month }) => month))]);
  const retried = stored.filter(({ month, isCounted }) => {
    if (!isCounted) return true;
    const position = (used.get(month) ?? 0) + 1;
    if (position > monthlySendLimit) return false;
    used.set(month, position);
    return true;
  });
  return { retried, gone, overLimit: stored.length - retried.length };
}

/**
 * Charges the retried emails to the quotas of their months. The batch fails if another call has used up a quota since
 * it was read.
 */
export function takeQuota(ctx: Context, batch: Batch, retried: Ended[]): void {
  const charged = retried.filter(({ isCounted }) => isCounted);
  const groups = Map.groupBy(charged, ({ month, templateId }) => `${month} ${templateId}`);
  const counted = [...groups.values()].flatMap(([first, ...others]) =>
    first ? [{ month: first.month, templateId: first.templateId, emails: 1 + others.length }] : [],
  );
  batch.add(
    upsertUsage(sql`SELECT ${ctx.project.number}, value->>'month', value->>'templateId', value->>'emails'
      FROM json_each(${JSON.stringify(counted)}) WHERE true`),
  );
  const { monthlySendLimit } = ctx.project;
  if (monthlySendLimit === null) return;
  for (const month of new Set(charged.map((email) => email.month))) {
    batch.guard(isWithinLimit(ctx, month, monthlySendLimit), () => new Stale());
  }
}
