import { sql } from "drizzle-orm";
import type { Id } from "../../core/ids";
import { minuteMs } from "../../core/time";
import { openBatch } from "../../db/batch";
import { inProject } from "../../db/scope";
import { guard, type Statement, statement } from "../../db/statement";
import type { CampaignRow } from "../../db/tables";
import { recordChange } from "../../engine/audit/record-change";
import { interruptRun } from "../../engine/recipients/run-row";
import type { Context } from "../../platform/context";
import { auditedCampaign } from "./audited";
import { getCampaign, readCampaign, wrongState } from "./campaign";
import { updateTakenBack } from "./release";
import { forgetWatched } from "./watched";

/** How often a run checks a hold that can end by itself. */
export const holdCheckMs = minuteMs;

/**
 * Holds a campaign: no further emails are handed over. The guard decides whether the hold is allowed. The default guard
 * allows a person to hold any campaign that is SENDING. A run passes the guard of its step, because a person may have
 * intervened since the step began. A refused hold has no effect at all.
 */
export async function holdCampaign(
  ctx: Context,
  id: Id,
  reason: string,
  guarded: Statement = guardSending(ctx, id),
): Promise<CampaignRow> {
  const batch = openBatch(ctx);
  // Holding twice has the same result.
  batch.mayRepeat();
  batch.add(guarded);
  recordChange(batch, ctx, auditedCampaign(ctx, id));
  const held = batch.add(updateHeld(ctx, id, reason));
  batch.addAll(updateTakenBack(ctx, id));
  batch.add(interruptRun(ctx, id));
  await batch.commit();
  forgetWatched();
  return held.one;
}

function guardSending(ctx: Context, id: Id): Statement {
  return guard(
    sql`EXISTS (SELECT 1 FROM campaigns WHERE ${inProject(ctx)} AND id = ${id} AND status = 'SENDING')`,
    async () => wrongState("pause", await getCampaign(ctx, id)),
  );
}

function updateHeld(ctx: Context, id: Id, reason: string): Statement<CampaignRow> {
  return statement(
    sql`UPDATE campaigns SET held_reason = ${reason}, version = version + 1, updated_at = max(updated_at, ${ctx.now.getTime()})
      WHERE ${inProject(ctx)} AND id = ${id} RETURNING *`,
    readCampaign,
  );
}
