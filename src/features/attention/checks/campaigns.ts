import { sql } from "drizzle-orm";
import { publicId } from "../../../core/ids";
import { iso } from "../../../core/time";
import { asId, asNumber, asText, columns } from "../../../db/rows";
import { inProject } from "../../../db/scope";
import { statement } from "../../../db/statement";
import { type AttentionCheck, maxItems } from "../check";

/** Finds campaigns that are SENDING but wait for a person, for example to judge a canary. */
export const checkCampaigns: AttentionCheck = (ctx, batch) => {
  // A project has at most 50 campaigns that are SENDING, so this reads few rows.
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
      message: `The campaign is held: ${heldReason}.`,
      count: 1,
      since: iso(updatedAt),
      target: { type: "campaign", id: publicId(id), name },
      action: {
        text: "Look at the campaign's statistics, then resume or cancel it.",
        method: "POST",
        path: `/campaigns/${publicId(id)}/resume`,
      },
    }));
};
