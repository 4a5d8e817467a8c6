import { sql } from "drizzle-orm";
import { asId, columns } from "../../db/rows";
import { inProject } from "../../db/scope";
import { select } from "../../db/statement";
import type { Context } from "../../platform/context";

const readId = columns({ id: asId });

/**
 * Makes each SENDING campaign of the project check the project's state now. Otherwise the next check might come only
 * hours later, for example while the results of a canary are awaited.
 */
export async function wakeCampaigns(ctx: Context): Promise<void> {
  const sending = await select(
    ctx.db,
    sql`SELECT id FROM campaigns INDEXED BY ix_campaigns_status
      WHERE ${inProject(ctx)} AND status = 'SENDING' AND held_reason IS NULL`,
    readId,
  );
  await ctx.enqueue(
    sending.map(({ id }) => ({
      message: { type: "campaigns.run" as const, projectId: ctx.project.number, campaignId: id },
    })),
  );
}
