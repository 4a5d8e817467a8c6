import { NamedContact } from "../../../core/contacts/named-contact";
import { projectRoutes } from "../../../http/routes";
import { CampaignParam } from "../param";
import { explainCampaign } from "./explain";
import { CampaignExplanation } from "./schema";

export const campaignExplanations = projectRoutes("Campaigns");

campaignExplanations.get(
  "/campaigns/{id}/explain",
  {
    id: "explainCampaign",
    summary: "Explain whether a contact gets a campaign, and why",
    description: "Pass `contactId` or `email`. For a draft, the answer says what would happen now.",
    params: CampaignParam,
    query: NamedContact,
    ok: CampaignExplanation,
  },
  (ctx, { params, query }) => explainCampaign(ctx, params.id, query),
);
