import { sql } from "drizzle-orm";
import { campaignActions } from "../../core/campaigns/status";
import type { Id } from "../../core/ids";
import { openBatch } from "../../db/batch";
import { isDeleted } from "../../db/own-rows";
import { asId, columns } from "../../db/rows";
import { inProject } from "../../db/scope";
import { statement } from "../../db/statement";
import { replaceReferences } from "../../engine/audience/record-references";
import { recordChange } from "../../engine/audit/record-change";
import { putAway } from "../../engine/trash/put-away";
import type { Context } from "../../platform/context";
import { auditedCampaign } from "./audited";
import { getCampaign, wrongState } from "./campaign";
import { forgetWatched } from "./watched";

const deletable = JSON.stringify(campaignActions.delete.from);

/**
 * Implements `DELETE /campaigns/{id}`: puts a campaign into the trash, and keeps the records of its emails. Its pages
 * and counters stay until the entry is purged, and continue to count what becomes of its mail. Throws NotFound, and
 * Conflict while the campaign is SCHEDULED or SENDING.
 */
export async function deleteCampaign(ctx: Context, id: Id): Promise<void> {
  await getCampaign(ctx, id);
  const batch = openBatch(ctx);
  batch.recognise(isDeleted("campaigns", ctx, id));
  recordChange(batch, ctx, auditedCampaign(ctx, id));
  const mayBeDeleted = sql`status IN (SELECT value FROM json_each(${deletable}))`;
  putAway(batch, ctx, { type: "campaign", id, onlyIf: mayBeDeleted });
  const deleted = batch.add(
    statement(
      sql`DELETE FROM campaigns WHERE ${inProject(ctx)} AND id = ${id} AND ${mayBeDeleted}
        RETURNING id`,
      columns({ id: asId }),
      { again: sql`SELECT ${id} AS id` },
    ),
  );
  batch.guard(isDeleted("campaigns", ctx, id), async () => wrongState("delete", await getCampaign(ctx, id)));
  batch.addAll(replaceReferences(ctx, { referrer: "campaign", id, name: "" }, {}));
  await batch.commit();
  forgetWatched();
  if (deleted.count === 0) await getCampaign(ctx, id);
}
