import type { Id } from "../../core/ids";
import type { CampaignRow } from "../../db/tables";
import type { Context } from "../../platform/context";
import { getCampaign, wrongState } from "./campaign";
import { holdCampaign } from "./hold";

/** `POST /campaigns/{id}/pause`: nothing more of it goes out until it is resumed. Throws NotFound and Conflict. */
export async function pauseCampaign(ctx: Context, id: Id): Promise<CampaignRow> {
  const held = await holdCampaign(ctx, id, "paused");
  if (held) return held;
  throw wrongState("pause", await getCampaign(ctx, id));
}
