import { z } from "zod";

export const CampaignProgress = z
  .object({
    stage: z.enum(["PREPARING", "CANARY", "CANARY_HOLD", "SENDING", "HELD"]).meta({
      description:
        "PREPARING: the list of recipients is being built. CANARY: the first recipients get the email. CANARY_HOLD: the others wait for the results. HELD: sending continues when `resume` is called or, with the reason `reputation`, when the project's pause ends.",
    }),
    remaining: z.number().int().nullable().meta({
      description: "Emails that are not final. Null until the list of recipients is complete.",
    }),
    open: z.number().int().meta({
      description: "The remaining emails that are being sent or retried now. The others are held back.",
    }),
    waitingFor: z
      .string()
      .nullable()
      .meta({ description: "What the campaign waits for, as a sentence. Null while it waits for nothing." }),
    waitingSince: z.iso.datetime().nullable().meta({
      description: "When the wait began. While emails are open, the time at which the first of them were released.",
    }),
    continuesAt: z.iso.datetime().nullable().meta({
      description:
        "When the next email is tried again, or when the hold after the canary ends. Null when that is unknown.",
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
