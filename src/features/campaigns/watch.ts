import { byCanary } from "../../core/campaigns/hold-reasons";
import { type Id, textOf } from "../../core/ids";
import { standingOf } from "../../core/mail/reputation";
import { isoOrNull } from "../../core/time";
import { select } from "../../db/statement";
import type { CampaignRow } from "../../db/tables";
import { readBlock, selectBlocks } from "../../engine/mail/report/reputation";
import type { Context } from "../../platform/context";
import { getCampaign } from "./campaign";
import { canaryLimits } from "./end-canary";
import { findProgress } from "./progress";
import type { CampaignProgress } from "./progress-schema";
import { statsOfCampaign } from "./stats";
import type { CampaignStats } from "./stats-schema";
import type { Brake, CampaignWatch } from "./watch-schema";
import { watchedWithin } from "./watched";

type Figures = Pick<CampaignWatch, "progress" | "stats" | "brakes">;

/**
 * Implements `GET /campaigns/{id}/progress`: returns what changes while a campaign is sent, without its content.
 * Several people may watch the same campaign, so an isolate repeats an answer for a second. A call with the bookmark
 * `atLeast` must not get an older state, so its answer is always read. Throws NotFound.
 */
export function watchCampaign(ctx: Context, id: Id, atLeast?: string): Promise<CampaignWatch> {
  const read = async () => watchOf(ctx, await getCampaign(ctx, id));
  if (atLeast !== undefined) return read();
  // A test clock may be moved within that second, so the key of the cached answer contains its time.
  const clock = ctx.project.testClock ? ctx.now.getTime() : "real";
  return watchedWithin(`${ctx.project.number} ${textOf(id)} ${clock}`, ctx.realClock().getTime(), read);
}

async function watchOf(ctx: Context, row: CampaignRow): Promise<CampaignWatch> {
  return {
    status: row.status,
    heldReason: row.heldReason,
    version: row.version,
    sentAt: isoOrNull(row.sentAt),
    completedAt: isoOrNull(row.completedAt),
    ...(await readFigures(ctx, row)),
  };
}

async function readFigures(ctx: Context, row: CampaignRow): Promise<Figures> {
  // The statistics come first, as in `freshJson`, because reading them counts the pages from which the progress is
  // read.
  const stats = await statsOfCampaign(ctx, row);
  const [progress, project] = await Promise.all([findProgress(ctx, row), projectBrake(ctx)]);
  return { progress, stats, brakes: { canary: isJudged(row, progress) ? canaryBrake(row, stats) : null, project } };
}

/** Whether the canary still decides about the recipients outside it. */
function isJudged({ canary, heldReason }: CampaignRow, progress: CampaignProgress | null): boolean {
  if (canary === null || progress === null) return false;
  const isFailed = byCanary.some((reason) => reason === heldReason);
  return isFailed || progress.stage === "CANARY" || progress.stage === "CANARY_HOLD";
}

/** Until the canary is over, only its recipients have the email, so the campaign's rates are those of the canary. */
function canaryBrake({ canary }: CampaignRow, { sentCount, bounceRate, complaintRate }: CampaignStats): Brake {
  return { emails: sentCount, bounceRate, complaintRate, ...canaryLimits(canary) };
}

async function projectBrake(ctx: Context): Promise<Brake> {
  const { bouncePercent, complaintPercent } = ctx.config.reputation;
  const blocks = await select(ctx.db, selectBlocks(ctx), readBlock);
  const standing = standingOf(blocks, blocks[0]?.mails ?? 0, ctx.project.sendingCountedFrom ?? 0);
  const rateOf = (count: number) => standing && Math.min(100, Math.round((10_000 * count) / standing.mails) / 100);
  return {
    emails: standing?.mails ?? null,
    bounceRate: rateOf(standing?.bounced ?? 0),
    maxBounceRate: bouncePercent || null,
    complaintRate: rateOf(standing?.complained ?? 0),
    maxComplaintRate: complaintPercent || null,
  };
}
