import { sql } from "drizzle-orm";
import type { Id } from "../../core/ids";
import { minuteMs } from "../../core/time";
import { openBatch } from "../../db/batch";
import { guard, type Statement, statement } from "../../db/statement";
import type { CampaignRow } from "../../db/tables";
import type { Context } from "../../platform/context";
import { getCampaign, readCampaign, wrongState } from "./campaign";
import { updateTakenBack } from "./release";
import { interruptRun } from "./run-row";

/** A hold that ends by itself, when the project's marketing email is no longer paused. */
export const byReputation = "reputation";

/** What may be wrong with a canary. */
export const byCanary = ["bounce rate", "complaint rate", "no reports"] as const;

export const byDisabledProject = "Project disabled";

/** How long a hold that may end by itself waits until the next look. */
export const holdLookMs = minuteMs;

/**
 * Holds a campaign: nothing more of it goes out. The guard says when that may be: a person holds one that is SENDING, and a
 * run only if its step is still its own, as a person may have decided something else. Refused, it has no effect at all.
 */
export async function holdCampaign(
  ctx: Context,
  id: Id,
  reason: string,
  guarded: Statement = guardSending(ctx, id),
): Promise<CampaignRow> {
  const batch = openBatch(ctx);
  // Held twice is held.
  batch.mayRepeat();
  batch.add(guarded);
  const held = batch.add(updateHeld(ctx, id, reason));
  batch.addAll(updateTakenBack(ctx, id));
  batch.add(interruptRun(ctx, id));
  await batch.commit();
  return held.one;
}

function guardSending(ctx: Context, id: Id): Statement {
  return guard(
    sql`EXISTS (SELECT 1 FROM campaigns WHERE project_id = ${ctx.project.number} AND id = ${id} AND status = 'SENDING')`,
    async () => wrongState("pause", await getCampaign(ctx, id)),
  );
}

function updateHeld(ctx: Context, id: Id, reason: string): Statement<CampaignRow> {
  return statement(
    sql`UPDATE campaigns SET held_reason = ${reason}, version = version + 1, updated_at = max(updated_at, ${ctx.now.getTime()})
      WHERE project_id = ${ctx.project.number} AND id = ${id} RETURNING *`,
    readCampaign,
  );
}
