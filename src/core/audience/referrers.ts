import { z } from "zod";

const Referrers = z
  .array(z.object({ id: z.string(), name: z.string() }))
  .meta({ description: "At most 1,000 are listed." });

/** The fields that every answer about usage has: the resources whose conditions name a field or an event. */
export const references = { usedInSegments: Referrers, usedInCampaigns: Referrers, usedInWorkflows: Referrers };
