import { z } from "zod";

const Referrers = z.array(z.object({ id: z.string(), name: z.string() })).meta({ description: "At most 1,000." });

/** Who names a field or an event in a condition, as every answer about usage lists it. */
export const references = { usedInSegments: Referrers, usedInCampaigns: Referrers, usedInWorkflows: Referrers };
