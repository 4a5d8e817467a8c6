import type { Id } from "../../core/ids";
import { openBatch } from "../../db/batch";
import { untilFresh } from "../../db/fresh";
import { type CampaignRow, campaigns } from "../../db/tables";
import { insertRow } from "../../db/write-row";
import { recordChange } from "../../engine/audit/record-change";
import { getEntry, rowIn, takeOut } from "../../engine/trash/entry";
import { insertAnswer } from "../../engine/trash/keyed";
import { type Needs, needsOf, requireNeeds, tooManyToRestore } from "../../engine/trash/needs";
import type { Context } from "../../platform/context";
import { auditedCampaign } from "./audited";
import { freshJson, getCampaign } from "./campaign";
import { guardQuota } from "./create";
import { addReferences } from "./save-statements";
import type { Campaign } from "./schema";
import { forgetWatched } from "./watched";

/**
 * Restores a campaign from the trash, in the state that it had. Its pages and counters were never removed. Throws
 * NotFound, and Conflict when a DRAFT names a segment or a topic that is gone, and when the project has too many
 * campaigns.
 */
export async function restoreCampaign(ctx: Context, id: Id): Promise<Campaign> {
  await untilFresh(async () => {
    const entry = await getEntry(ctx, "campaign", id);
    const row = rowIn(entry, campaigns);
    const needs = await requireNeeds(ctx, "campaign", needsOfCampaign(row));
    const batch = openBatch(ctx);
    takeOut(batch, ctx, entry);
    batch.addAll([...needs, guardQuota(ctx, (most) => tooManyToRestore("campaign", most))]);
    recordChange(batch, ctx, auditedCampaign(ctx, id));
    if (isDraft(row)) addReferences(batch, ctx, id, row);
    batch.add(insertRow(campaigns, row));
    batch.addAll(await insertAnswer(ctx, entry, () => freshJson(ctx, row)));
    await batch.commit();
  }, ctx.random);
  forgetWatched();
  return freshJson(ctx, await getCampaign(ctx, id));
}

/** Only a DRAFT is still to be sent, so a campaign in any other state needs nothing. */
function needsOfCampaign(row: CampaignRow): Needs {
  if (!isDraft(row)) return {};
  const { audienceCondition, segmentId, topicId } = row;
  const named = audienceCondition === null ? {} : needsOf(audienceCondition);
  return {
    ...named,
    segments: [...(segmentId === null ? [] : [segmentId]), ...(named.segments ?? [])],
    topics: topicId === null ? [] : [topicId],
  };
}

function isDraft({ status }: CampaignRow): boolean {
  return status === "DRAFT";
}
