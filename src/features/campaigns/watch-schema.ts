import { z } from "zod";
import { Warnings } from "../../core/warning";
import { CampaignProgress } from "./progress-schema";
import { CampaignStatus } from "./schema";
import { CampaignStats } from "./stats-schema";

const rate = z.number().min(0).max(100).nullable();

const Brake = z.object({
  emails: z.number().int().nullable().meta({
    description: "The number of emails on which the rates are based. Null while a project has too few to be judged.",
  }),
  bounceRate: rate.meta({ description: "Bounces in percent of `emails`." }),
  maxBounceRate: rate.meta({
    description: "Sending stops above this bounce rate, in percent. Null if bounces never stop it.",
  }),
  complaintRate: rate.meta({ description: "Complaints in percent of `emails`." }),
  maxComplaintRate: rate.meta({
    description: "Sending stops above this complaint rate, in percent. Null if complaints never stop it.",
  }),
});
export type Brake = z.infer<typeof Brake>;

const example = {
  status: "SENDING" as const,
  heldReason: null,
  version: 4,
  sentAt: "2026-01-31T09:00:00.000Z",
  completedAt: null,
  progress: CampaignProgress.meta()?.example,
  stats: CampaignStats.meta()?.example,
  brakes: {
    canary: { emails: 497, bounceRate: 1.2, maxBounceRate: 5, complaintRate: 0, maxComplaintRate: 0.1 },
    project: { emails: 1042, bounceRate: 1.5, maxBounceRate: 8, complaintRate: 0.01, maxComplaintRate: 0.3 },
  },
};

export const CampaignWatch = z
  .object({
    status: CampaignStatus,
    heldReason: z.string().nullable(),
    version: z.number().int(),
    sentAt: z.iso.datetime().nullable().meta({ description: "When sending began." }),
    completedAt: z.iso.datetime().nullable().meta({ description: "When the last email became final." }),
    progress: CampaignProgress.nullable().meta({ description: "Null unless the campaign is SENDING." }),
    stats: CampaignStats,
    brakes: z
      .object({
        canary: Brake.nullable().meta({
          description:
            "The rates that decide whether the recipients outside the canary get the email. Null unless `stage` is CANARY or CANARY_HOLD, or the campaign is held because of its canary.",
        }),
        project: Brake.meta({
          description: "The rates that pause all marketing email of the project, over at least its last 1,000 emails.",
        }),
      })
      .meta({ description: "The rates that stop the campaign automatically." }),
    warnings: Warnings,
  })
  .meta({ id: "CampaignWatch", example });
export type CampaignWatch = z.infer<typeof CampaignWatch>;
