import { z } from "zod";
import { readLength } from "../../../core/advance";

const Length = z
  .string()
  .transform((given, check) => {
    const ms = readLength(given);
    if (ms !== null) return ms;
    const message = "Must be a whole number and a unit (s, m, h, d or w), such as 7d, 36h or 30m";
    check.addIssue({ code: "custom", message, params: { code: "invalid_string" } });
    return z.NEVER;
  })
  .meta({
    type: "string",
    description: "How far to move the clock, such as `7d`, `36h` or `30m`. The units are s, m, h, d and w.",
    example: "7d",
  });

const Time = z.iso
  .datetime({ offset: true, error: "Must be a time with a time zone, such as 2026-01-31T09:00:00Z" })
  .transform((given) => new Date(given).getTime())
  .meta({
    type: "string",
    format: "date-time",
    description: "The time to move the clock to.",
    example: "2026-01-31T09:00:00Z",
  });

export const MoveClock = z
  .object({ advance: Length.optional(), now: Time.optional() })
  .superRefine(({ advance, now }, check) => {
    if ((advance === undefined) !== (now === undefined)) return;
    const message =
      advance === undefined
        ? "Send either advance, such as 7d, or now, a time"
        : "Send either advance or now, not both";
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
    instants: z.number().int().meta({ description: "The number of times at which something was due." }),
    now: z.iso.datetime().meta({ description: "The project's present time." }),
  })
  .meta({ id: "MovedClock", example: { instants: 3, now: "2026-01-31T09:00:00.000Z" } });
