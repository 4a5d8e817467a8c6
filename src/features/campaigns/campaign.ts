import { type Counts, sumOf } from "../../core/campaigns/counts";
import { type CampaignAction, campaignActions } from "../../core/campaigns/status";
import { BadRequest, Conflict } from "../../core/errors";
import { type Id, publicId, publicIdOrNull, textOf } from "../../core/ids";
import { contentJson } from "../../core/mail/content-fields";
import { iso, isoOrNull } from "../../core/time";
import { getRow } from "../../db/get-row";
import { wholeRow } from "../../db/rows";
import { type CampaignRow, campaigns } from "../../db/tables";
import { findCounts } from "../../engine/campaigns/counts";
import { loadBody } from "../../engine/mail/body";
import type { Context } from "../../platform/context";
import { countersJson, totalOf } from "./counters";
import { findProgress } from "./progress";
import type { CampaignProgress } from "./progress-schema";
import type { Campaign } from "./schema";

export const readCampaign = wholeRow(campaigns);

export function getCampaign(ctx: Context, id: Id): Promise<CampaignRow> {
  return getRow(ctx, campaigns, "campaign", id);
}

/** Returns a campaign with its present counters and progress, as callers see it. */
export async function freshJson(ctx: Context, row: CampaignRow): Promise<Campaign> {
  // Reads the counters first: for a small campaign, this also recounts its pages, and the progress is read from them.
  const counts = row.sentAt === null ? [] : await findCounts(ctx, row.id);
  return campaignJson(ctx, row, counts, await findProgress(ctx, row));
}

/** Returns a campaign with its counters, as callers see it. Loads bodies that are in files. */
export async function campaignJson(
  ctx: Context,
  row: CampaignRow,
  several: Counts[],
  progress: CampaignProgress | null = null,
): Promise<Campaign> {
  const counts = sumOf(several);
  return {
    id: publicId(row.id),
    name: row.name,
    description: row.description,
    ...contentJson(row),
    body: await bodyOf(ctx, row, row),
    type: row.type,
    status: row.status,
    heldReason: row.heldReason,
    progress,
    audienceType: row.audienceType,
    audienceCondition: row.audienceCondition,
    segmentId: publicIdOrNull(row.segmentId),
    templateId: publicIdOrNull(row.templateId),
    topicId: publicIdOrNull(row.topicId),
    variants: await variantsOf(ctx, row),
    canary: row.canary,
    scheduledFor: isoOrNull(row.scheduledFor),
    totalRecipients: totalOf(counts),
    ...countersJson(counts),
    version: row.version,
    projectId: ctx.project.id,
    sentAt: isoOrNull(row.sentAt),
    completedAt: isoOrNull(row.completedAt),
    createdAt: iso(row.createdAt),
    updatedAt: iso(row.updatedAt),
  };
}

async function bodyOf(
  ctx: Context,
  { id }: CampaignRow,
  { body = null, bodyKey = null }: { body?: string | null; bodyKey?: string | null },
): Promise<string> {
  const text = await loadBody(ctx, { body, bodyKey });
  if (text === null) throw new Error(`A body of campaign ${textOf(id)} is gone`);
  return text;
}

/** Loads one body after another, because they may be large. */
async function variantsOf(ctx: Context, row: CampaignRow): Promise<Campaign["variants"]> {
  if (row.variants === null) return null;
  const loaded = [];
  for (const { body, bodyKey, ...variant } of row.variants) {
    const isOwn = body !== undefined || bodyKey !== undefined;
    loaded.push({ ...variant, ...(isOwn && { body: await bodyOf(ctx, row, { body, bodyKey }) }) });
  }
  return loaded;
}

/**
 * Returns the error for an action that the campaign's status does not allow. The contract with clients requires 400 for
 * sending, scheduling, cancelling and retrying; every other action is refused with 409.
 */
export function wrongState(action: CampaignAction, { status }: Pick<CampaignRow, "status">): BadRequest | Conflict {
  const { from, word } = campaignActions[action];
  const message = `A campaign that is ${status} cannot be ${word}. Nothing was changed.`;
  const advice = { suggestion: `A campaign can be ${word} while it is ${from.join(" or ")}.`, details: { status } };
  return refusesWith400.has(action) ? new BadRequest(message, advice) : new Conflict(message, advice);
}

const refusesWith400 = new Set<CampaignAction>(["send", "schedule", "cancel", "retry"]);
