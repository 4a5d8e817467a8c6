import { Invalid } from "../../core/errors";
import { dayMs } from "../../core/time";
import type { Context } from "../../platform/context";
import type { SendEmail } from "./schema";

const mostDaysAhead = 30;

/**
 * Returns the time at which the mail of a call is due, in milliseconds; null when it is due now, for example because
 * the given time is in the past.
 */
export function readSchedule(ctx: Context, { scheduledAt }: SendEmail): number | null {
  if (!scheduledAt) return null;
  const now = ctx.now.getTime();
  const at = Date.parse(scheduledAt);
  if (at > now + mostDaysAhead * dayMs) {
    const message = `Must be at most ${mostDaysAhead} days ahead`;
    throw new Invalid([{ field: "scheduledAt", code: "too_big", message, received: scheduledAt }]);
  }
  return at > now ? at : null;
}
