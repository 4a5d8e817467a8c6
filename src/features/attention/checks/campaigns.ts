import { sql } from "drizzle-orm";
import { publicId } from "../../../core/ids";
import { iso } from "../../../core/time";
import { asId, asNumber, asText, columns } from "../../../db/rows";
import { inProject } from "../../../db/scope";
import { statement } from "../../../db/statement";
import { type AttentionCheck, maxItems } from "../check";

/** Campaigns that wait for somebody while they are SENDING, such as for the judgement of a canary. */
export const checkCampaigns: AttentionCheck = (ctx, batch) => {
  // At most 50 campaigns of a project are SENDING at once.
  const held = batch.add(
    statement(
      sql`SELECT id, name, held_reason, updated_at FROM campaigns INDEXED BY ix_campaigns_status
        WHERE ${inProject(ctx)} AND status = 'SENDING' AND held_reason IS NOT NULL LIMIT ${maxItems}`,
      columns({ id: asId, name: asText, heldReason: asText, updatedAt: asNumber }),
    ),
  );
  return () =>
    held.all.map(({ id, name, heldReason, updatedAt }) => ({
      code: "campaign_held",
      severity: "act",
      message: `The campaign waits. ${heldReason}${/[.!?]$/.test(heldReason) ? "" : "."}`,
      count: 1,
      since: iso(updatedAt),
      target: { type: "campaign", id: publicId(id), name },
      action: {
        text: "Look at its statistics, then resume it, or cancel it.",
        method: "POST",
        path: `/campaigns/${publicId(id)}/resume`,
      },
    }));
};
