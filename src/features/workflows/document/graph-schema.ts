import { z } from "zod";
import { StepConfig } from "../../../core/workflows/config";
import { StepKey } from "../../../core/workflows/document";
import { stepTypes } from "../../../core/workflows/step";
import { oneOfTypes, shapesByType } from "../steps/by-type";
import { fields as stepFields } from "../steps/schema";
import { fields as transitionFields } from "../transitions/schema";

/** A whole onboarding: an email, a wait, a condition, and one of two emails. */
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

const sentFields = {
  key: StepKey.meta({
    description:
      "The key of the step, which you choose, unique in the document. `trigger` is the key of the TRIGGER " +
      "step, which may be left out.",
  }),
  name: stepFields.name.nullish().meta({ description: "The name of the step. Default: its type." }),
  templateId: stepFields.templateId,
  position: stepFields.position
    .nullish()
    .meta({ description: "Where the step is drawn. Default: where it was, or below the others for a new step." }),
};

export const DocumentSteps = z
  .array(
    z.object({ ...sentFields, type: z.enum(stepTypes), config: stepFields.config.nullish() }).meta({
      id: "PutWorkflowDocumentStep",
      ...oneOfTypes("PutDocument", stepTypes),
      example: documentExample.steps[1],
    }),
  )
  .meta({ description: "The steps of the workflow: at most 100, including the TRIGGER." });

export const DocumentTransitions = z
  .array(
    z
      .object({ from: StepKey, to: StepKey, ...transitionFields })
      .transform(({ branch = null, priority, ...ends }) => ({ ...ends, branch, priority: priority ?? 0 })),
  )
  .meta({ description: "The transitions between the steps: at most 200. `from` and `to` are keys of steps." });

const answeredFields = {
  key: z.string(),
  name: z.string(),
  templateId: z.string().nullable(),
  position: z.object({ x: z.number(), y: z.number() }),
};

/** A step of a document, as responses show it. */
export const DocumentStep = z.object({ ...answeredFields, type: z.enum(stepTypes), config: StepConfig }).meta({
  id: "WorkflowDocumentStep",
  ...oneOfTypes("Document", stepTypes),
  example: {
    ...{ key: "first-project", type: "WAIT_FOR_EVENT", name: "WAIT_FOR_EVENT", templateId: null },
    config: { eventName: "project_created", timeout: 259_200 },
    position: { x: 0, y: 300 },
  },
});

/** The schemas of steps in answers and in requests, by their names in the OpenAPI document. */
export const documentStepShapes = [
  ...shapesByType("Document", stepTypes, answeredFields),
  ...shapesByType("PutDocument", stepTypes, sentFields),
];

export type SentStep = z.infer<typeof DocumentSteps>[number];
export interface SentGraph {
  steps: SentStep[];
  transitions: z.infer<typeof DocumentTransitions>;
}
