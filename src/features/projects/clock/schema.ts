import { z } from "zod";
import { readLength } from "../../../core/advance";

const Length = z
  .string()
  .transform((given, check) => {
    const ms = readLength(given);
    if (ms !== null) return ms;
    const message = "Must be a whole number and a unit of s, m, h, d or w, such as 7d, 36h or 30m";
    check.addIssue({ code: "custom", message, params: { code: "invalid_string" } });
    return z.NEVER;
  })
  .meta({
    type: "string",
    description: "How far to move the clock: `7d`, `36h`, `30m`. Units are s, m, h, d and w.",
    example: "7d",
  });

const Time = z.iso
  .datetime({ offset: true, error: "Must be a time with its zone, such as 2026-01-31T09:00:00Z" })
  .transform((given) => new Date(given).getTime())
  .meta({
    type: "string",
    format: "date-time",
    description: "The time to which to move the clock.",
    example: "2026-01-31T09:00:00Z",
  });

export const MoveClock = z
  .object({ advance: Length.optional(), now: Time.optional() })
  .superRefine(({ advance, now }, check) => {
    if ((advance === undefined) !== (now === undefined)) return;
    const message =
      advance === undefined
        ? "Send how far to move the clock: advance, such as 7d, or now, a time"
        : "Must not be sent together with now, which has the same meaning";
    check.addIssue({
      code: "custom",
      path: ["advance"],
      message,
      params: { code: advance === undefined ? "required" : "custom" },
    });
  })
  .meta({ id: "MoveClock", example: { advance: "7d" } });
export type MoveClock = z.infer<typeof MoveClock>;

export const MovedClock = z
  .object({
    instants: z.number().int().meta({ description: "At how many times something was due." }),
    now: z.iso.datetime().meta({ description: "The time of the project." }),
  })
  .meta({ id: "MovedClock", example: { instants: 3, now: "2026-01-31T09:00:00.000Z" } });
