import { z } from "zod";

const Referrers = z.array(z.object({ id: z.string(), name: z.string() })).meta({ description: "At most 1,000." });

/** The resources whose conditions name a field or an event, as every answer about usage lists them. */
export const references = { usedInSegments: Referrers, usedInCampaigns: Referrers, usedInWorkflows: Referrers };
