import { sql } from "drizzle-orm";
import { mayBe } from "../../core/campaigns/status";
import type { Id } from "../../core/ids";
import { openBatch } from "../../db/batch";
import { isUnchanged, Stale, untilFresh } from "../../db/fresh";
import { rowById } from "../../db/own-rows";
import { inProject } from "../../db/scope";
import { statement } from "../../db/statement";
import type { CampaignRow } from "../../db/tables";
import { recordChange } from "../../engine/audit/record-change";
import { deleteRun } from "../../engine/recipients/run-row";
import type { Context } from "../../platform/context";
import { auditedCampaign } from "./audited";
import { getCampaign, readCampaign, wrongState } from "./campaign";
import { forgetWatched } from "./watched";

/**
 * `POST /campaigns/{id}/unschedule`: turns the campaign into a draft again. Either this or the start of the campaign
 * happens, never both. Throws NotFound and Conflict.
 */
export function unscheduleCampaign(ctx: Context, id: Id): Promise<CampaignRow> {
  return untilFresh(() => unschedule(ctx, id), ctx.random);
}

async function unschedule(ctx: Context, id: Id): Promise<CampaignRow> {
  const before = await getCampaign(ctx, id);
  if (!mayBe("unschedule", before.status)) throw wrongState("unschedule", before);
  const row = rowById("campaigns", ctx, id);
  const batch = openBatch(ctx);
  // Only unscheduling turns a scheduled campaign into a draft, so a draft of the next version shows that the campaign
  // was unscheduled.
  batch.recognise(sql`EXISTS (${row} AND status = 'DRAFT' AND version = ${before.version + 1})`);
  batch.guard(isUnchanged("campaigns", before), () => new Stale());
  recordChange(batch, ctx, auditedCampaign(ctx, id));
  const draft = batch.add(
    statement(
      sql`UPDATE campaigns SET status = 'DRAFT', held_reason = NULL, scheduled_for = NULL, version = version + 1,
          updated_at = max(updated_at, ${ctx.now.getTime()})
        WHERE ${inProject(ctx)} AND id = ${id} RETURNING *`,
      readCampaign,
      { again: row },
    ),
  );
  batch.add(deleteRun(ctx, id));
  await batch.commit();
  forgetWatched();
  return draft.one;
}
