import { copyName } from "../../core/copy-name";
import { Refusal } from "../../core/errors";
import { type Id, newIdAt } from "../../core/ids";
import { Stale, untilFresh } from "../../db/fresh";
import type { CampaignRow } from "../../db/tables";
import { forgetFiles } from "../../engine/mail/body";
import type { Context } from "../../platform/context";
import { getCampaign } from "./campaign";
import { copyFiles } from "./copy-files";
import { saveNew } from "./create";

/**
 * `POST /campaigns/{id}/duplicate`: creates a DRAFT with the same content and audience. Senders are only checked when
 * the copy is sent.
 */
export async function duplicateCampaign(ctx: Context, id: Id): Promise<CampaignRow> {
  return untilFresh(() => copy(ctx, id), ctx.random);
}

async function copy(ctx: Context, id: Id): Promise<CampaignRow> {
  const original = await getCampaign(ctx, id);
  const copyId = newIdAt(ctx.now.getTime());
  const { copied, ...bodies } = await copyFiles(ctx, original, copyId);
  try {
    return await saveNew(ctx, copyId, { ...original, ...bodies, name: copyName(original.name) });
  } catch (error) {
    if (error instanceof Refusal || error instanceof Stale) forgetFiles(ctx, copied);
    throw error;
  }
}
