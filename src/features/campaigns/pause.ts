import { byPerson } from "../../core/campaigns/hold-reasons";
import type { Id } from "../../core/ids";
import type { CampaignRow } from "../../db/tables";
import type { Context } from "../../platform/context";
import { holdCampaign } from "./hold";

/**
 * Implements `POST /campaigns/{id}/pause`: no further emails are handed over until the campaign is resumed. Throws
 * NotFound and Conflict.
 */
export function pauseCampaign(ctx: Context, id: Id): Promise<CampaignRow> {
  return holdCampaign(ctx, id, byPerson);
}
