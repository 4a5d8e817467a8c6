import { z } from "zod";
import { DateOrTime } from "../../../core/events/range";
import { readId } from "../../../core/ids";
import { retryableStatuses } from "../../../core/mail/status";

export const RetryEmails = z
  .object({
    status: z.enum(retryableStatuses).meta({
      description:
        "The status of the emails to send again. UNKNOWN emails may have arrived, so recipients may get them twice.",
    }),
    campaignId: z.string().transform(readId).optional().meta({
      type: "string",
      description: "Only emails of this campaign.",
    }),
    from: DateOrTime.optional().meta({
      description: "Only emails created at this time or later. A date starts at 00:00 UTC.",
    }),
    to: DateOrTime.optional().meta({
      description: "Only emails created at this time or earlier. A date includes its whole day (UTC).",
    }),
  })
  // If an unknown filter were ignored, the call would resend mail that the caller did not mean to resend.
  .catchall(z.unknown().refine(() => false, "Is not a field of this call, which takes status, campaignId, from and to"))
  .superRefine(({ from, to }, check) => {
    if (from === undefined || to === undefined || from.from < to.to) return;
    check.addIssue({ code: "custom", path: ["to"], message: "Must not be before from", params: { code: "custom" } });
  })
  .meta({
    id: "RetryEmails",
    additionalProperties: false,
    example: { status: "FAILED", campaignId: "0199a0f2-8c10-7e4a-9b3d-2f6a1c5d7e80" },
  });
export type RetryEmails = z.infer<typeof RetryEmails>;

const count = z.number().int();

export const RetryResult = z
  .object({
    retried: count.meta({ description: "The number of emails that are QUEUED again." }),
    skipped: z
      .object({
        content_gone: count.meta({
          description: "Emails whose content is no longer stored, or whose contact was deleted.",
        }),
        monthly_limit: count.meta({
          description:
            "Emails created in a month that has reached `monthlySendLimit`. UNKNOWN emails already count, so they are not skipped.",
        }),
      })
      .meta({ description: "The number of emails that are not sent again, by reason." }),
  })
  .meta({ id: "RetryResult", example: { retried: 1042, skipped: { content_gone: 3, monthly_limit: 0 } } });
export type RetryResult = z.infer<typeof RetryResult>;
