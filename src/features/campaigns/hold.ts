import { sql } from "drizzle-orm";
import type { Id } from "../../core/ids";
import { minuteMs } from "../../core/time";
import { openBatch } from "../../db/batch";
import { type Statement, statement } from "../../db/statement";
import type { CampaignRow } from "../../db/tables";
import type { Context } from "../../platform/context";
import { readCampaign } from "./campaign";
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
 * Holds a campaign that is SENDING: nothing more of it goes out. Returns it, or undefined when it is not SENDING. A run
 * holds it only if its step is still its own (`ownStep`): a person may have decided something else.
 */
export async function holdCampaign(
  ctx: Context,
  id: Id,
  reason: string,
  ownStep?: Statement,
): Promise<CampaignRow | undefined> {
  const batch = openBatch(ctx);
  if (ownStep) batch.add(ownStep);
  const held = batch.add(updateHeld(ctx, id, reason));
  batch.addAll(updateTakenBack(ctx, id));
  batch.add(interruptRun(ctx, id));
  await batch.commit();
  return held.first;
}

function updateHeld(ctx: Context, id: Id, reason: string): Statement<CampaignRow> {
  return statement(
    sql`UPDATE campaigns SET held_reason = ${reason}, version = version + 1, updated_at = max(updated_at, ${ctx.now.getTime()})
      WHERE project_id = ${ctx.project.number} AND id = ${id} AND status = 'SENDING' RETURNING *`,
    readCampaign,
  );
}
