import { sql } from "drizzle-orm";
import { asNumber, columns } from "../../../db/rows";
import { statement } from "../../../db/statement";
import { usedThisMonth } from "../../../engine/projects/monthly-usage";
import type { AttentionCheck } from "../check";

/** The percentage of the monthly limit at which the limit counts as nearly used up. */
const nearPercent = 80;

/** Reports a monthly limit that is used up or nearly used up. */
export const checkMonth: AttentionCheck = (ctx, batch) => {
  const { project } = ctx;
  const limit = project.monthlySendLimit;
  if (limit === null) return () => [];
  const used = batch.add(statement(sql`SELECT ${usedThisMonth(ctx)} AS emails`, columns({ emails: asNumber })));
  return () => {
    const count = used.one.emails;
    if (count * 100 < nearPercent * limit) return [];
    const isReached = count >= limit;
    return [
      {
        code: isReached ? "month_limit_reached" : "month_limit_near",
        severity: isReached ? "act" : "warn",
        message: `${count} of the ${limit} emails of this month are used${isReached ? ": no more are accepted" : ""}.`,
        count,
        since: null,
        target: { type: "project", id: project.id, name: project.name },
        action: {
          text: "Raise the limit, or wait for the next month.",
          method: "PATCH",
          path: `/admin/projects/${project.id}`,
          body: { monthlySendLimit: 2 * Math.max(limit, 1) },
        },
      },
    ];
  };
};
