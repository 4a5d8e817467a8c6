import { z } from "zod";
import { foreign } from "../../foreign-names";
import { secondMs } from "../../time";
import { AwaitedName } from "../event-name";
import { lengthText } from "../length-text";
import type { StepDefinition } from "./definition";

const maxTimeoutSeconds = 31_536_000;

const WaitConfig = z
  .object({
    eventName: AwaitedName,
    timeout: z
      .number()
      .positive({ error: "Must be more than 0" })
      .max(maxTimeoutSeconds)
      .nullish()
      .meta({ description: "The longest wait, in seconds. Without it, the execution waits until the event comes." }),
  })
  .transform(({ eventName, timeout }) => ({ eventName, ...(timeout && { timeout }) }))
  .meta({
    id: "WaitForEventStepConfig",
    description: "Follows the branch `event` or `timeout` if it is drawn, otherwise the transition without a branch.",
    example: { eventName: "purchase", timeout: 86_400 },
  });
type WaitConfig = z.infer<typeof WaitConfig>;

export const waitForEvent = {
  does: "waits for an event of the contact, or until its timeout",
  shape: ["{{", "}}"],
  config: WaitConfig,
  foreignNames: [
    ...foreign(["event", "event_name", "name"], { standsFor: "eventName", advice: "Use eventName, the event's name" }),
    ...foreign(["timeoutSeconds", "duration", "maxWait"], { standsFor: "timeout", advice: "Use timeout, in seconds" }),
  ],
  branches: {
    are: "`event`, `timeout`, or none for whichever of them is not drawn",
    namesOf: () => ["event", "timeout"],
    areOptional: true,
  },
  wait: ({ eventName, timeout }) => ({ eventName, timeoutMs: timeout === undefined ? null : timeout * secondMs }),
  text: ({ eventName, timeout }) =>
    timeout === undefined ? eventName : `${eventName}, ${lengthText(timeout * secondMs)} at most`,
  issues: ({ timeout }, { drawn }) =>
    drawn.includes("timeout") && timeout === undefined
      ? ["Its branch timeout is never taken: the step has no timeout."]
      : [],
  references: ({ eventName }) => ({ events: [eventName] }),
} as const satisfies StepDefinition<WaitConfig>;
