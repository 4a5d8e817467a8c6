import type { Priority } from "../../../core/mail/priority";
import { minuteMs } from "../../../core/time";
import type { EmailRow } from "../../../db/tables";
import type { Context } from "../../../platform/context";
import { reasonOf } from "../../../platform/log";
import { announceLater, type Later } from "../announce";
import type { Delivery } from "./delivery";
import { slotComesBackMs } from "./memory-slot";
import { putOff } from "./put-off";

/**
 * The shortest and the longest wait before emails that could not be composed are retried. Between these limits, an
 * email waits a quarter of its age, so that each wait is longer than the last.
 */
const putOffMs = { least: minuteMs, most: 15 * minuteMs };

/** Emails that are announced again for a later time. */
export interface Leftover {
  retries: Later[];
  /** Emails that wait for a memory slot. */
  slotless: EmailRow[];
  /** Emails that could not be composed now. */
  failed: { email: EmailRow; error: unknown }[];
}

/** Announces these emails again for later, and postpones those that could not be composed. */
export async function rescheduleLeftover(
  ctx: Context,
  priority: Priority,
  delivery: Delivery,
  { retries, slotless, failed }: Leftover,
): Promise<void> {
  const now = ctx.clock().getTime();
  const later = slotless.map(({ id }) => ({ emailId: id, retryAt: now + slotComesBackMs }));
  await announceLater(ctx, priority, [...retries, ...later]);
  if (failed.length === 0) return;
  ctx.log("error", "Mail could not be composed and will be retried", {
    emails: failed.length,
    reason: reasonOf(failed[0]?.error),
  });
  const oldest = Math.min(...failed.map(({ email }) => email.createdAt));
  const until = now + Math.max(putOffMs.least, Math.min((now - oldest) / 4, putOffMs.most));
  const emails = failed.map(({ email }) => email);
  await putOff(ctx, emails, { until, isNoted: delivery.isAgain });
  const comingAgain = emails.map(({ id }) => ({ emailId: id, retryAt: until }));
  await announceLater(ctx, priority, comingAgain, { isAgain: true });
}
