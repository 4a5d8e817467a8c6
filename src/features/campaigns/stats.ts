import { type Counts, sumOf } from "../../core/campaigns/counts";
import type { Id } from "../../core/ids";
import type { CampaignRow } from "../../db/tables";
import { findCounts } from "../../engine/campaigns/counts";
import { findLeftOut, type LeftOutReason, leftOutReasons } from "../../engine/campaigns/left-out";
import type { Context } from "../../platform/context";
import { getCampaign } from "./campaign";
import { countersJson, totalOf } from "./counters";
import type { CampaignStats } from "./stats-schema";

/** `GET /campaigns/{id}/stats`: returns the statistics of a campaign and its variants. Throws NotFound. */
export async function campaignStats(ctx: Context, id: Id): Promise<CampaignStats> {
  return statsOfCampaign(ctx, await getCampaign(ctx, id));
}

export async function statsOfCampaign(
  ctx: Context,
  { id, variants }: Pick<CampaignRow, "id" | "variants">,
): Promise<CampaignStats> {
  const [counts, leftOut] = await Promise.all([findCounts(ctx, id), findLeftOut(ctx, id)]);
  const all = { ...statsOf(sumOf(counts)), leftOut: leftOutJson(leftOut) };
  if (variants === null) return all;
  const byName = variants.map(({ name }) => ({
    name,
    ...statsOf(sumOf(counts.filter(({ variant }) => variant === name))),
  }));
  return { ...all, variants: byName };
}

function leftOutJson(counts: Record<LeftOutReason, number> | null) {
  return leftOutReasons.flatMap((reason) => {
    const count = counts?.[reason] ?? 0;
    return count === 0 ? [] : [{ reason, count }];
  });
}

function statsOf(counts: Counts) {
  return {
    totalRecipients: totalOf(counts),
    queuedCount: counts.queued,
    ...countersJson(counts),
    complainedCount: counts.complained,
    unsubscribedCount: counts.unsubscribed,
    failedCount: counts.failed,
    suppressedCount: counts.suppressed,
    cancelledCount: counts.cancelled,
    unknownCount: counts.unknown,
    deliveryRate: rate(counts.delivered, counts),
    openRate: rate(counts.opened, counts),
    clickRate: rate(counts.clicked, counts),
    bounceRate: rate(counts.bounced, counts),
    complaintRate: rate(counts.complained, counts),
    unsubscribeRate: rate(counts.unsubscribed, counts),
  };
}

/**
 * Returns a percentage of the emails sent, with two decimals. Reports also arrive for UNKNOWN emails, which do not
 * count as sent, so the percentage is limited to 100.
 */
function rate(part: number, { sent }: Counts): number {
  return sent === 0 ? 0 : Math.min(100, Math.round((10_000 * part) / sent) / 100);
}
