import { z } from "zod";
import { Email } from "../../../core/mail/address-input";
import { retryableStatuses } from "../../../core/mail/status";

/** The maximum length of a token in a call, in characters. Real tokens are much shorter. */
const maxTokenLength = 1_000;

/** The longest delay that a call may ask for: an hour. For a longer wait, a caller gives `scheduledFor`. */
const maxDelaySeconds = 3_600;

export const SendCampaign = z
  .object({
    // A time that cannot be parsed is reported by the verb, as a 400.
    scheduledFor: z.unknown().meta({
      type: ["string", "null"],
      example: "2026-03-31T09:00:00Z",
      description: "When to start the campaign. Default: now. With a time in the past, it starts within a minute.",
    }),
    delaySeconds: z
      .number()
      .int()
      .min(1)
      .max(maxDelaySeconds)
      .meta({
        description:
          "The seconds until the campaign starts, instead of `scheduledFor`. Until then, " +
          "`POST /campaigns/{id}/unschedule` makes it a draft again.",
      }),
    // Null is refused, because a caller who passes on a missing token still expects the check.
    preflightToken: z
      .string()
      .min(1)
      .max(maxTokenLength)
      .meta({
        description:
          "The token in the result of a finished pre-flight. The campaign is then sent exactly as it was checked, or not at " +
          "all: 409 if it was changed or scheduled since, or after 15 minutes; 400 for the token of another campaign.",
      }),
  })
  .partial()
  .meta({ id: "SendCampaign", example: {} });
export type SendCampaign = z.infer<typeof SendCampaign>;

export const TestCampaign = z
  .object({
    email: Email,
    variant: z.string().optional().meta({ description: "The name of the variant to send. Default: the first one." }),
  })
  .meta({ id: "TestCampaign", example: { email: "ada@example.com" } });
export type TestCampaign = z.infer<typeof TestCampaign>;

export const TestedCampaign = z.object({ success: z.literal(true), data: z.object({ email: z.string() }) }).meta({
  id: "TestedCampaign",
  example: { success: true, data: { email: "0199a0f2-6c1f-7d60-8a3b-5a1de0c4b7e2" } },
});

export const RetryCampaign = z
  .object({
    statuses: z
      .array(z.enum(retryableStatuses))
      .min(1)
      .default(["FAILED"])
      .meta({ description: "The statuses of the emails to send again. UNKNOWN emails may already have arrived." }),
  })
  .meta({ id: "RetryCampaign", example: { statuses: ["FAILED"] } });
export type RetryCampaign = z.infer<typeof RetryCampaign>;

export const RetriedCampaign = z
  .object({ retried: z.number().int() })
  .meta({ id: "RetriedCampaign", example: { retried: 12 } });
