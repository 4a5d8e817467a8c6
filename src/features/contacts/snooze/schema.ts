import { z } from "zod";
import { maxSnoozeYears, type SnoozeRequest, snoozeDurations } from "../../../core/contacts/snooze";

export const SnoozeContact = z
  .object({
    until: z.iso
      .datetime({ offset: true })
      .nullish()
      .meta({ description: `The end of the snooze: a time in the future, at most ${maxSnoozeYears} years ahead.` }),
    duration: z
      .enum(snoozeDurations)
      .nullish()
      .meta({
        description:
          "The length of the snooze in calendar months (UTC). One month from 31 January is the last day of " +
          "February.",
      }),
  })
  .transform(({ until, duration }, check): SnoozeRequest => {
    if (duration && !until) return { duration };
    if (until && !duration) return { until: Date.parse(until) };
    const [field, code, message] = until
      ? ["duration", "custom", "Send either until or duration, not both"]
      : ["until", "required", "Send either until or duration"];
    check.addIssue({ code: "custom", path: [field], message, params: { code } });
    return z.NEVER;
  })
  .meta({
    id: "SnoozeContact",
    description: "Send exactly one of `until` and `duration`.",
    example: { duration: "3m" },
  });
