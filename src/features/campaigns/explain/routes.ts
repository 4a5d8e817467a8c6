import { NamedContact } from "../../../core/contacts/named-contact";
import { createRoute, errors, ok } from "../../../http/define";
import { createRouter } from "../../../http/router";
import { CampaignParam } from "../param";
import { explainCampaign } from "./explain";
import { CampaignExplanation } from "./schema";

export const campaignExplanations = createRouter();

const explain = createRoute({
  method: "get",
  path: "/campaigns/{id}/explain",
  operationId: "explainCampaign",
  tags: ["Campaigns"],
  summary: "Explain whether a contact gets a campaign, and why",
  description: "Pass `contactId` or `email`. For a draft, the answer says what would happen now.",
  request: { params: CampaignParam, query: NamedContact },
  responses: { ...ok(CampaignExplanation), ...errors(404, 422) },
});

campaignExplanations.openapi(explain, async (c) =>
  c.json(await explainCampaign(c.var.ctx, c.req.valid("param").id, c.req.valid("query")), 200),
);
