import { type SQL, sql } from "drizzle-orm";
import { MonthlyLimitReached } from "../../core/errors";
import { monthOf } from "../../core/time";
import { guard, type Statement, statement } from "../../db/statement";
import type { Context } from "../../platform/context";

/** An email that counts in a month. */
interface Counted {
  emailId: string;
}

/** After the emails, as it counts their rows: suppressed ones do not count. */
export function insertUsage(ctx: Context, emails: Counted[]): Statement {
  return statement(
    sql`INSERT INTO monthly_usage (project_id, month, emails)
      SELECT ${ctx.project.id}, ${monthOf(ctx.now)}, count(*) FROM json_each(${JSON.stringify(emails)}) r
      CROSS JOIN emails e ON e.id = r.value->>'emailId'
      WHERE e.status <> 'SUPPRESSED'
      GROUP BY 1 HAVING count(*) > 0
      ON CONFLICT (project_id, month) DO UPDATE SET emails = emails + excluded.emails`,
  );
}

/**
 * After the usage: stops the whole batch when the month would hold more than it may. None when nothing limits it. A call
 * that adds nothing passes, also when the limit was lowered below what was used.
 */
export function guardMonthlyLimit(ctx: Context, emails: Counted[]): Statement[] {
  const { monthlySendLimit, id } = ctx.project;
  if (monthlySendLimit === null) return [];
  const isWithin = sql`NOT EXISTS (SELECT 1 FROM monthly_usage
    WHERE project_id = ${id} AND month = ${monthOf(ctx.now)} AND emails > ${monthlySendLimit})
    OR NOT EXISTS (SELECT 1 FROM json_each(${JSON.stringify(emails)}) r
      CROSS JOIN emails e ON e.id = r.value->>'emailId' WHERE e.status <> 'SUPPRESSED')`;
  return [guard(isWithin, () => new MonthlyLimitReached(monthlySendLimit))];
}

/** What ends FAILED or SUPPRESSED does not count against the month it was accepted in. */
export function updateUsageOfUnsent(items: string, where: SQL): Statement {
  const month = sql`strftime('%Y-%m', e.created_at / 1000, 'unixepoch')`;
  const unsent = sql`FROM json_each(${items}) r CROSS JOIN emails e ON e.id = r.value->>'emailId'
    WHERE ${where} AND r.value->>'status' IN ('FAILED', 'SUPPRESSED')`;
  return statement(
    sql`UPDATE monthly_usage AS u SET emails = u.emails - (
        SELECT count(*) ${unsent} AND e.project_id = u.project_id AND ${month} = u.month)
      WHERE (u.project_id, u.month) IN (SELECT e.project_id, ${month} ${unsent})`,
  );
}
