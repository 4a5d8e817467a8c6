import { restoreCampaign } from "./features/campaigns/restore";
import { Campaign } from "./features/campaigns/schema";
import { restoreSegment } from "./features/segments/restore";
import { Segment } from "./features/segments/schema";
import { restoreTemplate } from "./features/templates/restore";
import { Template } from "./features/templates/schema";
import { trashRoutes } from "./features/trash/routes";
import { restoreWorkflow } from "./features/workflows/restore";
import { WholeWorkflow } from "./features/workflows/schema";

/** The routes of the trash, with everything that can be in it. */
export const trash = trashRoutes({
  template: { schema: Template, restore: restoreTemplate },
  campaign: { schema: Campaign, restore: restoreCampaign },
  segment: { schema: Segment, restore: restoreSegment },
  workflow: { schema: WholeWorkflow, restore: restoreWorkflow },
});
