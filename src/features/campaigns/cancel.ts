import { sql } from "drizzle-orm";
import { campaignActions, mayBe } from "../../core/campaigns/status";
import { belowAllIds, type Id } from "../../core/ids";
import { openBatch } from "../../db/batch";
import { rowById } from "../../db/own-rows";
import { inProject } from "../../db/scope";
import { statement } from "../../db/statement";
import type { CampaignRow } from "../../db/tables";
import { replaceReferences } from "../../engine/audience/record-references";
import { recordChange } from "../../engine/audit/record-change";
import { interruptRun } from "../../engine/recipients/run-row";
import type { Context } from "../../platform/context";
import { auditedCampaign } from "./audited";
import { getCampaign, readCampaign, wrongState } from "./campaign";
import { deleteUnusedContents } from "./content";
import { updateTakenBack } from "./release";
import { enqueueRun } from "./start";
import { forgetWatched } from "./watched";

const cancellable = JSON.stringify(campaignActions.cancel.from);

/**
 * Implements `POST /campaigns/{id}/cancel`: no further emails are handed over. A run then cancels the waiting emails,
 * page by page. Throws NotFound and BadRequest.
 */
export async function cancelCampaign(ctx: Context, id: Id): Promise<CampaignRow> {
  const isOpen = sql`EXISTS (SELECT 1 FROM campaigns WHERE ${inProject(ctx)} AND id = ${id}
    AND status IN (SELECT value FROM json_each(${cancellable})))`;
  const before = await getCampaign(ctx, id);
  if (!mayBe("cancel", before.status)) throw wrongState("cancel", before);
  const batch = openBatch(ctx);
  // The campaign was open when it was read above. If it is CANCELLED now, it was cancelled since, and a cancelled
  // campaign never opens again.
  batch.recognise(sql`EXISTS (${rowById("campaigns", ctx, id)} AND status = 'CANCELLED')`);
  batch.guard(isOpen, async () => wrongState("cancel", await getCampaign(ctx, id)));
  recordChange(batch, ctx, auditedCampaign(ctx, id));
  const cancelled = batch.add(
    statement(
      sql`UPDATE campaigns SET status = 'CANCELLED', held_reason = NULL, version = version + 1,
          updated_at = max(updated_at, ${ctx.now.getTime()})
        WHERE ${inProject(ctx)} AND id = ${id} RETURNING *`,
      readCampaign,
      { again: rowById("campaigns", ctx, id) },
    ),
  );
  batch.addAll(updateTakenBack(ctx, id));
  batch.addAll(replaceReferences(ctx, { referrer: "campaign", id, name: "" }, {}));
  batch.add(interruptRun(ctx, id, { phase: "cancel", after: belowAllIds }));
  batch.add(deleteUnusedContents(ctx, id));
  await batch.commit();
  forgetWatched();
  await enqueueRun(ctx, id);
  return cancelled.one;
}
