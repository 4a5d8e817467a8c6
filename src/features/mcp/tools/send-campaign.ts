import { z } from "zod";
import { isJsonObject } from "../../../core/json";
import { pick } from "../fields";
import { idOf } from "../named";
import { sendingTool } from "../tool";
import { Campaign } from "./arguments";

export const sendCampaign = sendingTool(
  {
    name: "send_campaign",
    title: "Send or schedule a campaign",
    description:
      "Send a campaign to its whole audience, now or at a given time. It reaches real people and cannot be taken back. It needs " +
      "the preflightToken of a finished preflight_campaign, at most 15 minutes old, and sends exactly the version that was " +
      "checked. Call it only after the person you work for has seen the figures of that check and said yes.",
    input: z.strictObject({
      campaign: Campaign,
      preflightToken: z.string().min(1).describe("result.preflightToken of a finished preflight_campaign."),
      scheduledFor: z.string().optional().describe("When to send, as an ISO 8601 time with a time zone. Default: now."),
    }),
    async run({ api }, { campaign, preflightToken, scheduledFor }) {
      const id = await idOf(api, "campaign", campaign);
      const answer = await api.post(`/campaigns/${id}/send`, { preflightToken, scheduledFor: scheduledFor ?? null });
      const sent = isJsonObject(answer.data) ? answer.data : {};
      return {
        data: { campaign: pick(sent, "id", "name", "subject", "status", "scheduledFor"), ...pick(answer, "warnings") },
        next: sent.status === "SCHEDULED" ? scheduled : sending,
      };
    },
  },
  // Sending changes the campaign's version, so a repeat with the old token is refused.
  { isIdempotent: true },
);

const sending = "The campaign is being sent. statistics shows how far it is.";
const scheduled = "The campaign is scheduled. To send it at another time, check it again first: scheduling changed it.";
