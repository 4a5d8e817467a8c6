import { sql } from "drizzle-orm";
import type { Canary } from "../../core/campaigns/campaign";
import { type Counts, sumOf } from "../../core/campaigns/counts";
import type { byCanary } from "../../core/campaigns/hold-reasons";
import { minuteMs } from "../../core/time";
import { openBatch } from "../../db/batch";
import { asFlag, asId, asJson, asNumber, columns } from "../../db/rows";
import { inProject } from "../../db/scope";
import { select, selectOne, statement } from "../../db/statement";
import { updateCounted } from "../../engine/campaigns/count-page";
import { guardStep, type NextStep, type Run, saveProgress } from "../../engine/recipients/run-row";
import type { Context } from "../../platform/context";
import { holdCampaign } from "./hold";

/** The maximum number of marked pages that one step recounts. */
const pagesAtOnce = 10;

/** Whether the canary is being sent or its results are awaited. */
export function isCanaryOut({ progress }: Run): boolean {
  return progress.canary !== undefined && progress.isCanaryOver !== true;
}

/** Whether there are recipients outside the canary, who wait for its results. */
export async function isCanaryAwaited(ctx: Context, { campaign }: Run): Promise<boolean> {
  const { waits } = await selectOne(
    ctx.db,
    sql`SELECT EXISTS (SELECT 1 FROM campaign_pages WHERE ${inProject(ctx)}
      AND campaign_id = ${campaign.id} AND part = 'REST' AND open > 0) AS waits`,
    columns({ waits: asFlag }),
  );
  return waits;
}

const readMarked = columns({ firstId: asId });
const readCounts = columns({ counts: asJson<Record<string, Counts>>() });
const readMarks = columns({ marks: asNumber });

/**
 * Holds the recipients outside the canary for a while after the canary's last email, then releases them. If too many of
 * the canary's emails bounced or brought complaints, or if no report arrived at all, holds the campaign instead, for a
 * person to decide.
 */
export async function endCanary(ctx: Context, run: Run): Promise<NextStep> {
  const { campaign, progress } = run;
  const { canary } = campaign;
  const { maxBounceRate, maxComplaintRate } = canaryLimits(canary);
  const now = ctx.clock().getTime();
  if (progress.holdUntil === undefined) {
    const holdUntil = now + (canary?.holdMinutes ?? 0) * minuteMs;
    return waitForHold(ctx, run, holdUntil);
  }
  if (now < progress.holdUntil) return waitForHold(ctx, run, progress.holdUntil);
  const counts = await countCanary(ctx, run);
  if (counts === null) return { kind: "goes on" };
  const reason = whyCanaryFails(counts, maxBounceRate, maxComplaintRate);
  if (reason !== null) {
    await holdCampaign(ctx, campaign.id, reason, guardStep(ctx, run));
    return { kind: "over" };
  }
  await saveProgress(ctx, run, { ...progress, isCanaryOver: true });
  return { kind: "goes on" };
}

/** Returns the rates in percent above which a canary fails. */
export function canaryLimits(canary: Pick<Canary, "maxBounceRate" | "maxComplaintRate"> | null) {
  return { maxBounceRate: canary?.maxBounceRate ?? 5, maxComplaintRate: canary?.maxComplaintRate ?? 0.1 };
}

/**
 * Stores the end of the hold. On a test clock, the run simply ends, because the next advance of the clock continues the
 * campaign.
 */
async function waitForHold(ctx: Context, run: Run, holdUntil: number): Promise<NextStep> {
  await saveProgress(ctx, run, { ...run.progress, holdUntil, lookAt: holdUntil }, holdUntil);
  return ctx.project.testClock ? { kind: "over" } : { kind: "waits", until: holdUntil };
}

/** Returns the counts of the canary. Null while pages of the canary still have to be counted again. */
async function countCanary(ctx: Context, { campaign }: Run): Promise<Counts | null> {
  const ofCanary = sql`${inProject(ctx)} AND campaign_id = ${campaign.id} AND part = 'CANARY'`;
  const marked = await select(
    ctx.db,
    sql`SELECT first_id FROM campaign_pages WHERE ${ofCanary} AND recount_at IS NOT NULL LIMIT ${pagesAtOnce}`,
    readMarked,
  );
  const batch = openBatch(ctx);
  for (const { firstId } of marked) batch.addAll(updateCounted(ctx, { campaignId: campaign.id, firstId }));
  const marks = batch.add(
    statement(
      sql`SELECT count(*) AS marks FROM campaign_pages WHERE ${ofCanary} AND recount_at IS NOT NULL`,
      readMarks,
    ),
  );
  const pages = batch.add(statement(sql`SELECT counts FROM campaign_pages WHERE ${ofCanary}`, readCounts));
  await batch.commit();
  return marks.one.marks > 0 ? null : sumOf(pages.all.flatMap(({ counts }) => Object.values(counts)));
}

/** Returns why the canary fails; null when it passes. Rates are in percent of the emails sent. */
function whyCanaryFails(
  counts: Counts,
  maxBounceRate: number,
  maxComplaintRate: number,
): (typeof byCanary)[number] | null {
  const { sent, delivered, bounced, complained } = counts;
  if (sent > 0 && (100 * bounced) / sent > maxBounceRate) return "bounce rate";
  if (sent > 0 && (100 * complained) / sent > maxComplaintRate) return "complaint rate";
  return delivered + bounced + complained === 0 ? "no reports" : null;
}
