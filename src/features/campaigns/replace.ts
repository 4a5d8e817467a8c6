import { mayBe } from "../../core/campaigns/status";
import { Refusal } from "../../core/errors";
import type { Id } from "../../core/ids";
import { openBatch } from "../../db/batch";
import { isUnchanged, Stale, untilFresh } from "../../db/fresh";
import type { CampaignRow } from "../../db/tables";
import { recordChange } from "../../engine/audit/record-change";
import { requireAuditedVersion } from "../../engine/audit/require-version";
import type { Context } from "../../platform/context";
import { auditedCampaign } from "./audited";
import { getCampaign, wrongState } from "./campaign";
import { type Draft, draftOf, forgetBodies, type StoredBodies, storeBodies, warnOfIgnored } from "./draft";
import { requireProofForMany } from "./require-proof";
import { addReferences, guardDraft, guardSenders, updateDraft } from "./save-statements";
import type { ReplaceCampaign } from "./schema";
import { forgetWatched } from "./watched";

/**
 * Implements `PUT /campaigns/{id}`: fields left out keep their values. Throws NotFound, Conflict unless the campaign is
 * DRAFT or SCHEDULED, and what `createCampaign` throws. Only a caller who may send campaigns may change a SCHEDULED
 * one.
 */
export async function replaceCampaign(
  ctx: Context,
  id: Id,
  input: ReplaceCampaign,
  refuseToSend: RefuseToSend = async () => {},
): Promise<CampaignRow> {
  const bodies = await storeBodies(ctx, id, input);
  try {
    const saved = await untilFresh(() => save(ctx, id, input, { bodies, refuseToSend }), ctx.random);
    warnOfIgnored(ctx, input, saved);
    return saved;
  } catch (error) {
    if (error instanceof Refusal) forgetBodies(ctx, bodies);
    throw error;
  }
}

/** Throws when the caller may only write drafts. */
type RefuseToSend = () => Promise<void>;

async function save(
  ctx: Context,
  id: Id,
  input: ReplaceCampaign,
  { bodies, refuseToSend }: { bodies: StoredBodies; refuseToSend: RefuseToSend },
): Promise<CampaignRow> {
  const before = await getCampaign(ctx, id);
  await requireAuditedVersion(ctx, before);
  if (!mayBe("replace", before.status)) throw wrongState("replace", before);
  const draft = await draftOf(ctx, input, bodies, before);
  if (before.status === "SCHEDULED") {
    // A scheduled campaign is sent without another call, so this call needs the right to send it.
    await refuseToSend();
    await requireProofForMany(ctx, draft);
  }
  const batch = openBatch(ctx);
  batch.guard(isUnchanged("campaigns", before), () => new Stale());
  batch.addAll([...(await guardDraft(ctx, draft)), ...guardSenders(ctx, sendersIn(input, draft))]);
  recordChange(batch, ctx, auditedCampaign(ctx, id));
  addReferences(batch, ctx, id, draft);
  const saved = batch.add(updateDraft(ctx, id, draft));
  await batch.commit();
  // A draft has no progress to watch, so the cached answers stay. An editor saves a draft often.
  if (before.status !== "DRAFT") forgetWatched();
  return saved.one;
}

/**
 * Returns the senders that the call names, directly or by its template. Other senders are checked when the campaign is
 * sent.
 */
function sendersIn({ from, templateId, variants }: ReplaceCampaign, { fromEmail }: Draft): string[] {
  const own = from !== undefined || templateId ? [fromEmail] : [];
  return [...own, ...(variants ?? []).flatMap((variant) => variant.from ?? [])];
}
