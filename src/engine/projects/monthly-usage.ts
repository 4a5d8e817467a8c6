import { type SQL, sql } from "drizzle-orm";
import { MonthlyLimitReached } from "../../core/errors";
import { monthOf } from "../../core/time";
import type { Db } from "../../db/client";
import { GuardFailed, guard, statement } from "../../db/commit";
import type { Context } from "../../platform/context";

/** An email that counts in a month. */
interface Counted {
  emailId: string;
}

/** After the emails, as it counts their rows: suppressed ones do not count. */
export function recordUsage(ctx: Context, emails: Counted[]): D1PreparedStatement {
  return statement(
    ctx.db,
    sql`INSERT INTO monthly_usage (project_id, month, emails)
      SELECT ${ctx.project.id}, ${monthOf(ctx.now)}, count(*) FROM json_each(${JSON.stringify(emails)}) r
      CROSS JOIN emails e ON e.id = r.value->>'emailId'
      WHERE e.status <> 'SUPPRESSED'
      GROUP BY 1 HAVING count(*) > 0
      ON CONFLICT (project_id, month) DO UPDATE SET emails = emails + excluded.emails`,
  );
}

export const monthlyLimit = "limit";

/**
 * After the usage: stops the whole batch when the month would hold more than it may. None when nothing limits it. A call
 * that adds nothing passes, also when the limit was lowered below what was used.
 */
export function insistOnMonthlyLimit(ctx: Context, emails: Counted[]): D1PreparedStatement[] {
  const { monthlySendLimit, id } = ctx.project;
  if (monthlySendLimit === null) return [];
  const isWithin = sql`NOT EXISTS (SELECT 1 FROM monthly_usage
    WHERE project_id = ${id} AND month = ${monthOf(ctx.now)} AND emails > ${monthlySendLimit})
    OR NOT EXISTS (SELECT 1 FROM json_each(${JSON.stringify(emails)}) r
      CROSS JOIN emails e ON e.id = r.value->>'emailId' WHERE e.status <> 'SUPPRESSED')`;
  return [guard(ctx.db, monthlyLimit, isWithin)];
}

/** The guard of the monthly limit, as what it means to the caller. */
export async function limitAsRefusal<T>(ctx: Context, committed: Promise<T>): Promise<T> {
  try {
    return await committed;
  } catch (error) {
    const isFull = error instanceof GuardFailed && error.guard === monthlyLimit;
    throw isFull ? new MonthlyLimitReached(ctx.project.monthlySendLimit ?? 0) : error;
  }
}

/** What ends FAILED or SUPPRESSED does not count against the month it was accepted in. */
export function giveBackUsage(db: Db, items: string, where: SQL): D1PreparedStatement {
  const month = sql`strftime('%Y-%m', e.created_at / 1000, 'unixepoch')`;
  const unsent = sql`FROM json_each(${items}) r CROSS JOIN emails e ON e.id = r.value->>'emailId'
    WHERE ${where} AND r.value->>'status' IN ('FAILED', 'SUPPRESSED')`;
  return statement(
    db,
    sql`UPDATE monthly_usage AS u SET emails = u.emails - (
        SELECT count(*) ${unsent} AND e.project_id = u.project_id AND ${month} = u.month)
      WHERE (u.project_id, u.month) IN (SELECT e.project_id, ${month} ${unsent})`,
  );
}
