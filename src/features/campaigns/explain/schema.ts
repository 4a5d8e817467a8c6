import { z } from "zod";
import { reasonCodes, recipientOutcomes } from "../../../core/campaigns/verdict";

export const CampaignExplanation = z
  .object({
    contactId: z.string().nullable().meta({ description: "The contact. Null if no contact has the address." }),
    email: z.string().nullable().meta({ description: "The address. Null for a contact that was deleted." }),
    inAudience: z.boolean(),
    outcome: z.enum(recipientOutcomes).meta({
      description:
        "`SENT`: the provider has the email. `WAITING`: the email will be sent, or would be. `LEFT_OUT`: the contact is in the " +
        "audience, but gets no email. `WITHHELD`: the email exists, but was not sent.",
    }),
    reasons: z.array(z.object({ code: z.enum(reasonCodes), message: z.string() })).meta({
      description:
        "All reasons for the outcome. Outside the audience: `filter` for every filter that does not match, or " +
        "`created_later`, and everything else that would keep the email from the contact, such as `unsubscribed`.",
    }),
    emailId: z.string().nullable(),
    basis: z.enum(["EMAIL", "FROZEN", "DRAFT"]).meta({
      description:
        "The source of the answer. `EMAIL`: the email's record. Without one, the contact as it is now, with the audience as " +
        "it was frozen when sending began (`FROZEN`) or as the draft defines it (`DRAFT`).",
    }),
    asOf: z.iso.datetime().meta({
      description: "The time for which the answer holds: that of the email's last change or, without an email, now.",
    }),
  })
  .meta({
    id: "CampaignExplanation",
    example: {
      contactId: "0199a0f2-6c1e-7b3a-9d54-0c8f6f1f2a10",
      email: "ada@example.com",
      inAudience: true,
      outcome: "LEFT_OUT",
      reasons: [{ code: "topic", message: "The contact does not get mail of the campaign's topic" }],
      emailId: null,
      basis: "FROZEN",
      asOf: "2026-01-31T09:00:00.000Z",
    },
  });
export type CampaignExplanation = z.infer<typeof CampaignExplanation>;
