import { z } from "zod";
import { StepKey } from "../../../core/workflows/document";
import { stepTypes } from "../../../core/workflows/step";
import { fields as stepFields } from "../steps/schema";
import { fields as transitionFields } from "../transitions/schema";

/** A whole onboarding: a mail, a wait, a question, and one of two mails. */
export const documentExample = {
  name: "Onboarding",
  eventName: "signup",
  enabled: true,
  steps: [
    { key: "welcome", type: "SEND_EMAIL" as const, templateId: "0199a0f2-7a10-7d31-8c42-9e5f6a7b8c9d" },
    {
      key: "first-project",
      type: "WAIT_FOR_EVENT" as const,
      config: { eventName: "project_created", timeout: 259_200 },
    },
    {
      key: "is-pro",
      type: "CONDITION" as const,
      config: { field: "data.plan", operator: "equals", value: "pro" },
    },
    { key: "tips", type: "SEND_EMAIL" as const, templateId: "0199a0f2-7a10-7d31-8c42-9e5f6a7b8c9e" },
    { key: "help", type: "SEND_EMAIL" as const, templateId: "0199a0f2-7a10-7d31-8c42-9e5f6a7b8c9f" },
  ],
  transitions: [
    { from: "trigger", to: "welcome" },
    { from: "welcome", to: "first-project" },
    { from: "first-project", to: "is-pro", branch: "event" },
    { from: "first-project", to: "help", branch: "timeout" },
    { from: "is-pro", to: "tips", branch: "yes" },
  ],
};

export const DocumentSteps = z
  .array(
    z.object({
      key: StepKey.meta({
        description: "Yours, and unique. `trigger` is the key of the TRIGGER, which may be left out.",
      }),
      type: z.enum(stepTypes),
      name: stepFields.name.nullish().meta({ description: "The type, if it is left out." }),
      config: stepFields.config.nullish(),
      templateId: stepFields.templateId,
      position: stepFields.position.nullish().meta({ description: "Left out: where it is, or below the others." }),
    }),
  )
  .meta({ description: "At most 100, with the TRIGGER." });

export const DocumentTransitions = z
  .array(
    z
      .object({ from: StepKey, to: StepKey, ...transitionFields })
      .transform(({ branch = null, priority, ...ends }) => ({ ...ends, branch, priority: priority ?? 0 })),
  )
  .meta({ description: "At most 200. `from` and `to` are keys of steps." });

export type SentStep = z.infer<typeof DocumentSteps>[number];
export interface SentGraph {
  steps: SentStep[];
  transitions: z.infer<typeof DocumentTransitions>;
}
