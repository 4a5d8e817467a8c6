import { type SQL, sql } from "drizzle-orm";
import type { Id } from "../../core/ids";
import { MonthlyLimitReached } from "../../core/mail/errors";
import { monthOf } from "../../core/time";
import { asNumber, asText, columns } from "../../db/rows";
import { inProject } from "../../db/scope";
import { guard, type Statement, select, statement } from "../../db/statement";
import type { Context } from "../../platform/context";

/** An email to count. */
interface Counted {
  emailId: Id;
}

/**
 * Counts emails towards months. There is one count per month and template, which also shows how many emails a template
 * has; inline content counts under ''. `counted` is a SELECT of `project_id, month, template_id, emails`, with one row
 * per count.
 */
export function upsertUsage(counted: SQL): Statement {
  return statement(
    sql`INSERT INTO monthly_usage (project_id, month, template_id, emails) ${counted}
      ON CONFLICT (project_id, month, template_id) DO UPDATE SET emails = emails + excluded.emails`,
  );
}

/** Counts new emails. Must run after their rows are written, because SUPPRESSED and FAILED ones do not count. */
export function insertUsage(ctx: Context, emails: Counted[]): Statement {
  return upsertUsage(
    sql`SELECT e.project_id, ${monthOf(ctx.now)}, ${templateOf}, count(*) ${countedAmong(ctx, emails)}
      GROUP BY 1, 2, 3 HAVING count(*) > 0`,
  );
}

/** Returns `FROM … WHERE …` with the emails that count, and their contents. */
function countedAmong(ctx: Context, emails: Counted[]): SQL {
  return sql`FROM json_each(${JSON.stringify(emails)}) r
    CROSS JOIN emails e ON ${inProject(ctx, "e")} AND e.id = r.value->>'emailId' ${withContent}
    WHERE e.status NOT IN ('SUPPRESSED', 'FAILED')`;
}

const withContent: SQL = sql`CROSS JOIN email_contents content
  ON content.project_id = e.project_id AND content.id = e.content_id`;

const templateOf: SQL = sql`coalesce(content.template_id, '')`;

/**
 * Stops the whole batch when the usage exceeds the monthly limit. Must run after `insertUsage`. Returns no statement
 * when there is no limit. A call that adds nothing passes, even if the limit was lowered below the usage.
 */
export function guardMonthlyLimit(ctx: Context, emails: Counted[]): Statement[] {
  const { monthlySendLimit } = ctx.project;
  if (monthlySendLimit === null) return [];
  const isWithin = sql`${isWithinLimit(ctx, monthOf(ctx.now), monthlySendLimit)}
    OR NOT EXISTS (SELECT 1 ${countedAmong(ctx, emails)})`;
  return [guard(isWithin, () => new MonthlyLimitReached(monthlySendLimit))];
}

/** Returns SQL for the number of emails that count for this month so far. */
export function usedThisMonth(ctx: Context): SQL {
  return usedIn(ctx, monthOf(ctx.clock()));
}

/** Returns the number of emails that count for each of the months so far. */
export async function findUsed(ctx: Context, months: string[]): Promise<Map<string, number>> {
  const used = await select(
    ctx.db,
    sql`SELECT month.value AS month, (SELECT coalesce(sum(u.emails), 0) FROM monthly_usage u
        WHERE ${inProject(ctx, "u")} AND u.month = month.value) AS emails FROM json_each(${JSON.stringify(months)}) month`,
    columns({ month: asText, emails: asNumber }),
  );
  return new Map(used.map(({ month, emails }) => [month, emails]));
}

function usedIn(ctx: Context, month: string): SQL {
  return sql`(SELECT coalesce(sum(emails), 0) FROM monthly_usage
    WHERE ${inProject(ctx)} AND month = ${month})`;
}

/** The reason of an email that is FAILED because it was accepted beyond the limit. */
export const monthIsOver = "Monthly limit reached";

/**
 * Returns the statuses of emails that are accepted together. The query must select the `id` of each email and its
 * `reason`: why it is not sent, or NULL. The first emails without a reason use up the rest of the month's limit.
 * Further emails are FAILED.
 */
export function statusesInMonth(ctx: Context, now: Date): SQL {
  const { monthlySendLimit: limit } = ctx.project;
  if (limit === null) return sql`iif(reason IS NULL, 'QUEUED', 'SUPPRESSED')`;
  return sql`CASE WHEN reason IS NOT NULL THEN 'SUPPRESSED'
    WHEN sum(reason IS NULL) OVER (ORDER BY id) + ${usedIn(ctx, monthOf(now))} > ${limit} THEN 'FAILED' ELSE 'QUEUED' END`;
}

/** Returns the condition that a month is within its limit. */
export function isWithinLimit(ctx: Context, month: string, limit: number): SQL {
  return sql`${usedIn(ctx, month)} <= ${limit}`;
}

/**
 * Subtracts emails that end FAILED, SUPPRESSED or CANCELLED from the month in which they were accepted. Must run before
 * the change that ends them. `items` is a JSON array; `where` joins each item with its email `e`.
 */
export function updateUsageOfUnsent(items: string, where: SQL): Statement {
  return updateUsage(sql`SELECT e.project_id, ${monthInSql} AS month, ${templateOf} AS template_id
    FROM json_each(${items}) r CROSS JOIN emails e ${withContent} WHERE ${isCounted} AND (${where})`);
}

/** Like `updateUsageOfUnsent`, for the emails `e` that match `where`, which must not have ended. */
export function updateUsageOf(where: SQL): Statement {
  return updateUsage(sql`SELECT e.project_id, ${monthInSql} AS month, ${templateOf} AS template_id
    FROM emails e ${withContent} WHERE ${isCounted} AND (${where})`);
}

/** Matches an email `e` that takes quota. A test email takes none, so it gives none back. */
export const isCounted: SQL = sql`e.source <> 'TEST'`;

/** The month in which the email `e` was accepted. */
export const monthInSql: SQL = sql`strftime('%Y-%m', e.created_at / 1000, 'unixepoch')`;

/**
 * Subtracts emails from their months. `unsent` is a SELECT of `project_id, month, template_id`, with a row for each
 * email.
 */
function updateUsage(unsent: SQL): Statement {
  return statement(
    sql`UPDATE monthly_usage AS u SET emails = u.emails - gone.emails
      FROM (SELECT project_id, month, template_id, count(*) AS emails FROM (${unsent}) GROUP BY 1, 2, 3) gone
      WHERE u.project_id = gone.project_id AND u.month = gone.month AND u.template_id = gone.template_id`,
  );
}
