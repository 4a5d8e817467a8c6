import { z } from "zod";

export const CampaignProgress = z
  .object({
    stage: z.enum(["PREPARING", "CANARY", "CANARY_HOLD", "SENDING", "HELD"]).meta({
      description:
        "PREPARING: the list of recipients is being built. CANARY: the first recipients get the email. CANARY_HOLD: the others wait for the results. HELD: sending continues when you call `POST /campaigns/{id}/resume` or, if `heldReason` is `reputation` or `marketing provider`, when that reason ends.",
    }),
    remaining: z.number().int().nullable().meta({
      description: "The number of emails that are not final. Null until the list of recipients is complete.",
    }),
    open: z.number().int().meta({
      description: "How many of the remaining emails are being sent or retried now. The others are held back.",
    }),
    waitingFor: z
      .string()
      .nullable()
      .meta({ description: "What the campaign waits for, as a sentence. Null if it waits for nothing." }),
    waitingSince: z.iso.datetime().nullable().meta({
      description: "When the wait began. While `open` is not 0, when the first of the open emails were released.",
    }),
    continuesAt: z.iso.datetime().nullable().meta({
      description: "When the next email is retried, or when the hold after the canary ends. Null if that is unknown.",
    }),
  })
  .meta({
    id: "CampaignProgress",
    example: {
      stage: "CANARY",
      remaining: 9503,
      open: 3,
      waitingFor: "3 emails that are tried again: Too many requests",
      waitingSince: "2026-01-31T09:00:02.000Z",
      continuesAt: "2026-01-31T09:04:11.000Z",
    },
  });
export type CampaignProgress = z.infer<typeof CampaignProgress>;
