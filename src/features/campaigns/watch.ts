import { byCanary } from "../../core/campaigns/hold-reasons";
import { expiringCache } from "../../core/expiring-cache";
import { type Id, textOf } from "../../core/ids";
import { standingOf } from "../../core/mail/reputation";
import { isoOrNull, secondMs } from "../../core/time";
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

type Figures = Pick<CampaignWatch, "progress" | "stats" | "brakes">;

/**
 * Several people watch the same campaign. Within a second, an isolate returns the figures that it has read, unless
 * the campaign was changed: a pause shows at once.
 */
const figures = expiringCache<Figures>({ ttlMs: secondMs, maxEntries: 500 });

/** `GET /campaigns/{id}/progress`: returns what changes while a campaign is sent, without its content. Throws NotFound. */
export async function watchCampaign(ctx: Context, id: Id): Promise<CampaignWatch> {
  const row = await getCampaign(ctx, id);
  // The clock of a test may be moved within a second.
  const clock = ctx.project.testClock ? ctx.now.getTime() : "real";
  const key = `${ctx.project.number} ${textOf(id)} ${row.version} ${clock}`;
  const now = ctx.realClock().getTime();
  let known = figures.get(key, now);
  if (known === undefined) {
    known = await readFigures(ctx, row);
    figures.set(key, known, now);
  }
  return {
    status: row.status,
    heldReason: row.heldReason,
    version: row.version,
    sentAt: isoOrNull(row.sentAt),
    completedAt: isoOrNull(row.completedAt),
    ...known,
  };
}

async function readFigures(ctx: Context, row: CampaignRow): Promise<Figures> {
  // The counters come first, as in a campaign: reading them counts the pages that the progress reads afterwards.
  const stats = await statsOfCampaign(ctx, row);
  const [progress, project] = await Promise.all([findProgress(ctx, row), projectBrake(ctx)]);
  return { progress, stats, brakes: { canary: isJudged(row, progress) ? canaryBrake(row, stats) : null, project } };
}

/** Whether the canary still decides about the other recipients. */
function isJudged({ canary, heldReason }: CampaignRow, progress: CampaignProgress | null): boolean {
  if (canary === null || progress === null) return false;
  const isFailed = byCanary.some((reason) => reason === heldReason);
  return isFailed || progress.stage === "CANARY" || progress.stage === "CANARY_HOLD";
}

/** Until it is over, nobody but the canary has the email, so its rates are those of the campaign. */
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
