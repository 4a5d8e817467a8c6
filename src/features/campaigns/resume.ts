import { sql } from "drizzle-orm";
import { byCanary } from "../../core/campaigns/hold-reasons";
import { Conflict } from "../../core/errors";
import type { Id } from "../../core/ids";
import { openBatch } from "../../db/batch";
import { inProject } from "../../db/scope";
import { statement } from "../../db/statement";
import type { CampaignRow } from "../../db/tables";
import { recordChange } from "../../engine/audit/record-change";
import { carriesMarketing, requireCarrier } from "../../engine/mail/accept/require-carrier";
import type { Context } from "../../platform/context";
import { auditedCampaign } from "./audited";
import { getCampaign, readCampaign } from "./campaign";
import { enqueueRun } from "./start";
import { forgetWatched } from "./watched";

const ofCanary = JSON.stringify(byCanary);

/**
 * `POST /campaigns/{id}/resume`: resumes a held campaign. Resuming after a failed canary releases the recipients
 * outside the canary. Throws NotFound and Conflict.
 */
export async function resumeCampaign(ctx: Context, id: Id): Promise<CampaignRow> {
  if (!carriesMarketing(ctx)) requireCarrier(ctx, (await getCampaign(ctx, id)).type);
  const isHeld = sql`${inProject(ctx)} AND id = ${id} AND status = 'SENDING' AND held_reason IS NOT NULL`;
  const isCanaryHold = sql`(SELECT held_reason IN (SELECT value FROM json_each(${ofCanary})) FROM campaigns WHERE ${isHeld})`;
  const batch = openBatch(ctx);
  batch.add(
    statement(
      sql`UPDATE campaign_runs SET step = step + 1, due_at = ${ctx.now.getTime()},
          progress = json_remove(CASE WHEN ${isCanaryHold} AND progress->>'holdUntil' IS NOT NULL
            THEN json_set(progress, '$.isCanaryOver', json('true')) ELSE progress END, '$.lookAt')
        WHERE ${inProject(ctx)} AND id = ${id} AND EXISTS (SELECT 1 FROM campaigns WHERE ${isHeld})`,
    ),
  );
  recordChange(batch, ctx, auditedCampaign(ctx, id));
  const resumed = batch.add(
    statement(
      sql`UPDATE campaigns SET held_reason = NULL, version = version + 1,
          updated_at = max(updated_at, ${ctx.now.getTime()})
        WHERE ${isHeld} RETURNING *`,
      readCampaign,
    ),
  );
  await batch.commit();
  forgetWatched();
  if (!resumed.first) throw notHeld(await getCampaign(ctx, id));
  await enqueueRun(ctx, id);
  return resumed.first;
}

export function notHeld({ status }: Pick<CampaignRow, "status">): Conflict {
  return new Conflict(`This campaign is ${status} and not held. Nothing was changed.`, {
    suggestion: "Only a campaign that is SENDING with a heldReason can be resumed.",
    details: { status },
  });
}
