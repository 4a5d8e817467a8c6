import { z } from "zod";
import { type Trigger, triggerParts } from "../trigger";
import type { StepDefinition } from "./definition";

/** Clients may look for the trigger's settings here, so the error says where they are set. */
const TriggerConfig = z
  .looseObject({})
  .superRefine((sent, check) => {
    for (const name of triggerParts) {
      if (sent[name] === undefined || sent[name] === null) continue;
      const message = "Set the trigger of a workflow with PATCH /workflows/{id}, in its triggerConfig";
      check.addIssue({ code: "custom", path: [name], message, params: { code: "custom" } });
    }
  })
  .transform((): Record<string, never> => ({}))
  .meta({ id: "TriggerStepConfig", example: {} });

/** Every execution begins at a TRIGGER. Each workflow has exactly one, which is created with the workflow. */
export const trigger = {
  does: "begins every execution; each workflow has exactly one",
  shape: ["([", "])"],
  config: TriggerConfig,
  decide: () => ({ kind: "done" }),
  text: (_, { trigger }) => triggerText(trigger),
  issues: (_, { drawn }) =>
    drawn.length === 0 ? ["Nothing comes after the trigger, so an execution ends at once."] : [],
} as const satisfies StepDefinition<z.infer<typeof TriggerConfig>>;

function triggerText({ triggerType, triggerConfig }: Trigger): string {
  if (triggerType === "MANUAL") return "by hand";
  return triggerType === "SCHEDULE" ? `at ${triggerConfig.cron}` : `on ${triggerConfig.eventName ?? "no event yet"}`;
}
