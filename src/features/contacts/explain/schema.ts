import { z } from "zod";
import { reasonCodes } from "../../../core/campaigns/verdict";
import { type Id, readId } from "../../../core/ids";

const subjects = ["campaignId", "workflowId", "templateId", "emailId"] as const;

const named = () =>
  z
    .string()
    .min(1)
    .transform(readId)
    .nullish()
    .meta({ type: ["string", "null"] });

/**
 * Selects the mail to explain: by its campaign, workflow or template, or by the id of one email. Exactly one of these
 * fields must be sent.
 */
export const ExplainContact = z
  .object({ campaignId: named(), workflowId: named(), templateId: named(), emailId: named() })
  .superRefine((asked, check) => {
    const [first, second] = subjects.filter((name) => (asked[name] ?? null) !== null);
    if (first !== undefined && second === undefined) return;
    const message = `Send exactly one of ${subjects.join(", ")}`;
    const params = { code: first === undefined ? "required" : "custom" };
    check.addIssue({ code: "custom", path: [second ?? "campaignId"], message, params });
  })
  .meta({ id: "ExplainContact", example: { campaignId: "0199a0f2-9c41-7a55-b2e4-7d8e9f0a1b2c" } });
export type ExplainContact = Partial<Record<(typeof subjects)[number], Id | null>>;

const ownCodes = [
  ...["other_address", "never_sent", "not_entered", "workflow_disabled", "trigger_not_seen", "not_in_segment"],
  ...["next_tick", "execution_running", "execution_waiting", "execution_completed", "execution_exited"],
  ...["execution_failed", "execution_cancelled", "step_skipped", "step_failed", "no_mail_ahead", "mail_perhaps_ahead"],
  "content_gone",
] as const;

const sourceTypes = [
  ...["email", "campaign", "contact", "suppression", "topic", "segment", "template", "workflow"],
  ...["execution", "step", "event", "domain", "project"],
] as const;

const Because = z.object({
  at: z.iso.datetime().nullable().meta({ description: "The time since which the reason applies. Null if unknown." }),
  code: z.enum([...reasonCodes, ...ownCodes]),
  message: z.string(),
  source: z.object({ type: z.enum(sourceTypes), id: z.string() }).meta({
    description:
      "The record that the reason comes from. The `id` of a suppression is its address, and the `id` of an " +
      "event is its name.",
  }),
});
export type Because = z.infer<typeof Because>;

const RetryForecast = z
  .object({
    verdict: z.enum(["SENT", "NOT_SENT"]).meta({
      description:
        "Whether a retry would send the email. `NOT_SENT`: the retry would be refused or the email would " +
        "wait, for the reasons in `because`.",
    }),
    to: z.string().meta({ description: "The recipient's address, which a retry does not change." }),
    mayArriveTwice: z.boolean().meta({ description: "True if the recipient may already have received the email." }),
    waitsUntil: z.iso
      .datetime()
      .nullable()
      .meta({ description: "The scheduled time until which the email would wait. Null if it would not wait." }),
    because: z.array(Because).meta({ description: "The reasons why the email would not be sent now." }),
  })
  .meta({
    id: "RetryForecast",
    example: { verdict: "SENT", to: "ada@example.com", mayArriveTwice: true, waitsUntil: null, because: [] },
  });
export type RetryForecast = z.infer<typeof RetryForecast>;

const example = {
  verdict: "NOT_RECEIVED" as const,
  because: [
    {
      at: "2026-01-20T09:00:00.000Z",
      code: "unsubscribed" as const,
      message: "The contact unsubscribed on a page, or with one click in an email program",
      source: { type: "contact" as const, id: "0199a0f2-6c1e-7b3a-9d54-0c8f6f1f2a10" },
    },
  ],
};

export const ContactExplanation = z
  .object({
    verdict: z.enum(["RECEIVED", "WILL_RECEIVE", "NOT_RECEIVED", "UNKNOWN"]).meta({
      description:
        "`RECEIVED`: the email was delivered. `WILL_RECEIVE`: it will be sent automatically. `NOT_RECEIVED`: " +
        "it will not be sent unless the reason is removed. `UNKNOWN`: there is no report about the email, or " +
        "it depends on the contact's path through the workflow.",
    }),
    because: z.array(Because).meta({ description: "The reasons for the verdict. The first one is decisive." }),
    retry: RetryForecast.optional().meta({
      description:
        "What `POST /emails/{id}/retry` would do now. Present if you send `emailId` and the email can be " + "retried.",
    }),
  })
  .meta({ id: "ContactExplanation", example });
export type ContactExplanation = z.infer<typeof ContactExplanation>;
