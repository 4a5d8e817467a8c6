import { type SQL, sql } from "drizzle-orm";
import type { Id } from "../../core/ids";
import { openBatch } from "../../db/batch";
import { asId, columns } from "../../db/rows";
import { type Statement, select, statement } from "../../db/statement";
import { updateCounted } from "../../engine/campaigns/count-page";
import { updateMarked } from "../../engine/campaigns/mark-pages";
import { settledBy } from "../../engine/mail/report";
import { campaignCancelled } from "../../engine/mail/withhold";
import { updateUsageOf } from "../../engine/projects/monthly-usage";
import type { Context } from "../../platform/context";
import type { Progress } from "./frozen";
import type { Next } from "./next";
import { inPage, type PageRange } from "./release";
import { deleteLedger, deleteRun, type Ending, guardStep, type Run, updateRun } from "./run-row";

const readRange = columns({ firstId: asId, lastId: asId });

/** The next page in the order of the ledger; null after the last one. */
async function nextPage(ctx: Context, campaignId: Id, after: Id): Promise<PageRange | null> {
  const [page] = await select(
    ctx.db,
    sql`SELECT first_id, last_id FROM campaign_pages WHERE project_id = ${ctx.project.number}
      AND campaign_id = ${campaignId} AND first_id > ${after} ORDER BY first_id LIMIT 1`,
    readRange,
  );
  return page ?? null;
}

/** Cancels what is not out, a page at a time. What the provider may have already is left to it. */
export async function cancelStep(ctx: Context, run: Ending): Promise<Next> {
  const { campaign, progress } = run;
  const page = await nextPage(ctx, campaign.id, progress.after);
  const batch = openBatch(ctx);
  batch.add(guardStep(ctx, run));
  if (page === null) batch.addAll([deleteRun(ctx, campaign.id), ...deleteLedger(ctx, campaign.id)]);
  else {
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
 * Opens again what ended in one of the statuses that a retry names, a page at a time. They are the same rows, with the same
 * content, and are held until they are released. Those that were not sent take a place in the month again.
 */
export async function reopenStep(ctx: Context, run: Run): Promise<Next> {
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
        sql`UPDATE campaign_pages SET released_at = NULL WHERE project_id = ${ctx.project.number}
          AND campaign_id = ${campaign.id} AND first_id = ${page.firstId} AND open > 0`,
      ),
      updateRun(ctx, run, { ...progress, after: page.firstId }),
    ]);
  }
  await batch.commit();
  return { kind: "goes on" };
}

/**
 * Those that were not sent had given back their places in the month in which they were accepted, and take them again, as
 * many as there are. The others stay as they are.
 */
function reopenPage(ctx: Context, { campaign, progress }: Run, page: PageRange): Statement[] {
  const now = ctx.clock().getTime();
  const { monthlySendLimit: limit } = ctx.project;
  const asked = progress.statuses ?? [];
  const isEnded = (statuses: string[]) => sql`${inPage(ctx, campaign.id, page)} AND NOT e.is_forgotten
    AND e.status IN (SELECT value FROM json_each(${JSON.stringify(statuses)}))`;
  const unsent = isEnded(asked.filter((status) => status !== "UNKNOWN"));
  const month = sql`strftime('%Y-%m', e.created_at / 1000, 'unixepoch')`;
  const used = sql`(SELECT coalesce(sum(u.emails), 0) FROM monthly_usage u WHERE u.project_id = ${ctx.project.number}
    AND u.month = ${month})`;
  const hasPlace =
    limit === null
      ? unsent
      : sql`e.project_id = ${ctx.project.number} AND e.id IN (SELECT id FROM (
          SELECT e.id, row_number() OVER (PARTITION BY ${month} ORDER BY e.id) + ${used} AS place
          FROM emails e WHERE ${unsent}) WHERE place <= ${limit})`;
  const reopened = (where: SQL) =>
    statement(
      sql`UPDATE emails AS e SET status = 'QUEUED', error = NULL, round = NULL, uncertain_since = NULL, attempts = 0,
          retried_at = ${now}, settled_by = ${settledBy("person")}, abandonments = 0, ended_at = NULL, next_attempt_at = NULL, due_at = NULL
        WHERE ${where}`,
    );
  return [
    updateMarked(ctx, { where: isEnded(asked) }),
    reopened(hasPlace),
    // Before the UNKNOWN ones, which never gave their places back.
    statement(
      sql`INSERT INTO monthly_usage (project_id, month, template_id, emails)
        SELECT e.project_id, ${month} AS month, ${campaign.templateId ?? ""}, count(*)
        FROM emails e WHERE ${inPage(ctx, campaign.id, page)} AND e.status = 'QUEUED' AND e.due_at IS NULL
          AND e.retried_at = ${now}
        GROUP BY month HAVING count(*) > 0
        ON CONFLICT (project_id, month, template_id) DO UPDATE SET emails = emails + excluded.emails`,
    ),
    ...(asked.includes("UNKNOWN") ? [reopened(isEnded(["UNKNOWN"]))] : []),
  ];
}
