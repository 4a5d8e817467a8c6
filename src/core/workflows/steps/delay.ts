import { z } from "zod";
import { foreign } from "../../foreign-names";
import { dayMs, hourMs, minuteMs } from "../../time";
import { counted } from "../length-text";
import type { StepDefinition } from "./definition";

const maxDelayDays = 365;

const DelayConfig = z
  .object({
    amount: z.number().positive({ error: "Must be more than 0" }),
    unit: z.enum(["minutes", "hours", "days"]),
  })
  .superRefine((delay, check) => {
    if (delayMs(delay) <= maxDelayDays * dayMs) return;
    const message = `A delay may be at most ${maxDelayDays} days long`;
    check.addIssue({ code: "custom", path: ["amount"], message, params: { code: "too_big" } });
  })
  .meta({ id: "DelayStepConfig", description: "At most 365 days.", example: { amount: 2, unit: "days" } });
type DelayConfig = z.infer<typeof DelayConfig>;

function delayMs({ amount, unit }: { amount: number; unit: "minutes" | "hours" | "days" }): number {
  return amount * { minutes: minuteMs, hours: hourMs, days: dayMs }[unit];
}

export const delay = {
  does: "waits for a time, at most 365 days",
  shape: ["{{", "}}"],
  config: DelayConfig,
  foreignNames: foreign(["duration", "delay", "wait", "seconds", "minutes", "hours", "days", "until"], {
    standsFor: "amount",
    advice: 'Use amount and unit, such as { "amount": 2, "unit": "days" }',
  }),
  // Rounded up to whole milliseconds: with a fraction, the clock could wake the execution just before this time.
  decide: (config, enteredAt) => ({ kind: "sleeps", until: Math.ceil(enteredAt + delayMs(config)) }),
  text: ({ amount, unit }) => counted(amount, unit.slice(0, -1)),
} as const satisfies StepDefinition<DelayConfig>;
