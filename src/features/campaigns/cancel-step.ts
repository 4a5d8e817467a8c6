import { type SQL, sql } from "drizzle-orm";
import type { Id } from "../../core/ids";
import { openBatch } from "../../db/batch";
import { asId, columns } from "../../db/rows";
import { inProject } from "../../db/scope";
import { type Statement, select, statement } from "../../db/statement";
import { updateCounted } from "../../engine/campaigns/count-page";
import { updateMarked } from "../../engine/campaigns/mark-pages";
import { settledBy } from "../../engine/mail/report/report";
import { campaignCancelled } from "../../engine/mail/withhold";
import { monthInSql, updateUsageOf, upsertUsage } from "../../engine/projects/monthly-usage";
import type { Progress } from "../../engine/recipients/frozen";
import {
  type BareRun,
  deleteLedger,
  deleteRun,
  guardStep,
  type NextStep,
  type Run,
  updateRun,
} from "../../engine/recipients/run-row";
import type { Context } from "../../platform/context";
import { emptyLeftContents } from "./content";
import { inPage, type PageRange } from "./release";

const readRange = columns({ firstId: asId, lastId: asId });

/** Returns the next page of a campaign's emails; null after the last page. */
async function nextPage(ctx: Context, campaignId: Id, after: Id): Promise<PageRange | null> {
  const [page] = await select(
    ctx.db,
    sql`SELECT first_id, last_id FROM campaign_pages WHERE ${inProject(ctx)}
      AND campaign_id = ${campaignId} AND first_id > ${after} ORDER BY first_id LIMIT 1`,
    readRange,
  );
  return page ?? null;
}

/**
 * Cancels the emails that have not been handed over, one page per step. Emails that the provider may already have are
 * left alone.
 */
export async function cancelStep(ctx: Context, run: BareRun): Promise<NextStep> {
  const { campaign, progress } = run;
  const page = await nextPage(ctx, campaign.id, progress.after);
  const batch = openBatch(ctx);
  batch.add(guardStep(ctx, run));
  if (page === null) {
    const emptied = emptyLeftContents(ctx, campaign.id);
    batch.addAll([deleteRun(ctx, campaign.id), emptied, ...deleteLedger(ctx, campaign.id)]);
  } else {
    const isWaiting = sql`${inPage(ctx, campaign.id, page)} AND e.status = 'QUEUED' AND e.uncertain_since IS NULL`;
    batch.addAll([
      updateMarked(ctx, { where: isWaiting }),
      updateUsageOf(isWaiting),
      statement(
        sql`UPDATE emails AS e SET status = 'CANCELLED', error = ${campaignCancelled}, round = NULL,
            next_attempt_at = NULL, due_at = NULL, ended_at = ${ctx.clock().getTime()} WHERE ${isWaiting}`,
      ),
      ...updateCounted(ctx, { campaignId: campaign.id, firstId: page.firstId }),
      updateRun(ctx, run, { ...progress, after: page.firstId }),
    ]);
  }
  await batch.commit();
  return page === null ? { kind: "over" } : { kind: "goes on" };
}

/**
 * Reopens the emails that ended in a status that the retry names, one page per step. The rows and their content stay
 * the same, and the emails are held until they are released. Emails that were not sent count against the month's quota
 * again.
 */
export async function reopenStep(ctx: Context, run: Run): Promise<NextStep> {
  const { campaign, progress } = run;
  const page = await nextPage(ctx, campaign.id, progress.after);
  const batch = openBatch(ctx);
  batch.add(guardStep(ctx, run));
  if (page === null) {
    const { statuses: _, ...rest } = progress;
    const deliver: Progress = { ...rest, phase: "deliver", open: 0 };
    batch.add(updateRun(ctx, run, deliver));
  } else {
    batch.addAll([
      ...reopenPage(ctx, run, page),
      ...updateCounted(ctx, { campaignId: campaign.id, firstId: page.firstId }),
      statement(
        sql`UPDATE campaign_pages SET released_at = NULL WHERE ${inProject(ctx)}
          AND campaign_id = ${campaign.id} AND first_id = ${page.firstId} AND open > 0`,
      ),
      updateRun(ctx, run, { ...progress, after: page.firstId }),
    ]);
  }
  await batch.commit();
  return { kind: "goes on" };
}

/**
 * Reopens the emails of a page. An email that was not sent no longer counts against the month in which it was accepted.
 * It counts again once it is reopened, so such emails are only reopened while that month has quota left.
 */
function reopenPage(ctx: Context, { campaign, progress }: Run, page: PageRange): Statement[] {
  const now = ctx.clock().getTime();
  const { monthlySendLimit: limit } = ctx.project;
  const statuses = progress.statuses ?? [];
  const isEnded = (some: string[]) => sql`${inPage(ctx, campaign.id, page)} AND NOT e.is_forgotten
    AND e.status IN (SELECT value FROM json_each(${JSON.stringify(some)}))`;
  const unsent = isEnded(statuses.filter((status) => status !== "UNKNOWN"));
  const used = sql`(SELECT coalesce(sum(u.emails), 0) FROM monthly_usage u WHERE ${inProject(ctx, "u")}
    AND u.month = ${monthInSql})`;
  const hasQuota =
    limit === null
      ? unsent
      : sql`${inProject(ctx, "e")} AND e.id IN (SELECT id FROM (
          SELECT e.id, row_number() OVER (PARTITION BY ${monthInSql} ORDER BY e.id) + ${used} AS position
          FROM emails e WHERE ${unsent}) WHERE position <= ${limit})`;
  const reopened = (where: SQL) =>
    statement(
      sql`UPDATE emails AS e SET status = 'QUEUED', error = NULL, round = NULL, uncertain_since = NULL, attempts = 0,
          retried_at = ${now}, settled_by = ${settledBy("person")}, abandonments = 0, ended_at = NULL, next_attempt_at = NULL, due_at = NULL
        WHERE ${where}`,
    );
  return [
    updateMarked(ctx, { where: isEnded(statuses) }),
    reopened(hasQuota),
    // Must come before the UNKNOWN emails are reopened, because UNKNOWN emails already count against their month, and
    // would be counted twice.
    upsertUsage(
      sql`SELECT e.project_id, ${monthInSql} AS month, ${campaign.templateId ?? ""}, count(*)
        FROM emails e WHERE ${inPage(ctx, campaign.id, page)} AND e.status = 'QUEUED' AND e.due_at IS NULL
          AND e.retried_at = ${now}
        GROUP BY month HAVING count(*) > 0`,
    ),
    ...(statuses.includes("UNKNOWN") ? [reopened(isEnded(["UNKNOWN"]))] : []),
  ];
}
