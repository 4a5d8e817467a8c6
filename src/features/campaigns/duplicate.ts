import { copyName } from "../../core/copy-name";
import { type Id, newIdAt } from "../../core/ids";
import { openBatch } from "../../db/batch";
import { untilFresh } from "../../db/fresh";
import { isInserted } from "../../db/own-rows";
import type { CampaignRow } from "../../db/tables";
import { recordChange } from "../../engine/audit/record-change";
import type { Context } from "../../platform/context";
import { auditedCampaign } from "./audited";
import { getCampaign } from "./campaign";
import { guardQuota } from "./create";
import { addReferences, guardDraft, insertCampaign } from "./save-statements";

/**
 * `POST /campaigns/{id}/duplicate`: creates a DRAFT with the same content and audience. The copy shares the files of
 * large bodies with the original, because these files are stored as long as the project exists. Senders are only
 * checked when the copy is sent.
 */
export async function duplicateCampaign(ctx: Context, id: Id): Promise<CampaignRow> {
  return untilFresh(() => copy(ctx, id), ctx.random);
}

async function copy(ctx: Context, id: Id): Promise<CampaignRow> {
  const original = await getCampaign(ctx, id);
  const draft = { ...original, name: copyName(original.name) };
  const copyId = newIdAt(ctx.now.getTime());
  const batch = openBatch(ctx);
  batch.recognise(isInserted("campaigns", ctx, copyId));
  batch.addAll([...(await guardDraft(ctx, draft)), guardQuota(ctx)]);
  recordChange(batch, ctx, auditedCampaign(ctx, copyId));
  addReferences(batch, ctx, copyId, draft);
  const saved = batch.add(insertCampaign(ctx, copyId, draft));
  await batch.commit();
  return saved.one;
}
