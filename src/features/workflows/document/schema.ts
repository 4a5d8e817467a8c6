import { z } from "zod";
import { fields, Trigger, TriggerType } from "../schema";
import { DocumentStep, DocumentSteps, DocumentTransitions, documentExample } from "./graph-schema";

const Version = z.number().int().min(1);

export const PutDocument = z
  .object({
    version: Version.nullish().meta({
      description: "The version of the workflow that you have read: 409 if it has changed since.",
    }),
    ...fields,
    enabled: z
      .boolean()
      .nullish()
      .meta({ description: "Whether the trigger starts executions. Unchanged if left out." }),
    steps: DocumentSteps,
    transitions: DocumentTransitions.nullish(),
  })
  .meta({ id: "PutWorkflowDocument", example: documentExample });
export type PutDocument = z.infer<typeof PutDocument>;

const answerExample = {
  version: 7,
  name: documentExample.name,
  description: null,
  triggerType: "EVENT" as const,
  triggerConfig: { eventName: "signup", publicEvents: true },
  allowReentry: false,
  enabled: true,
  steps: documentExample.steps.map(({ key, type, config = {}, templateId = null }, index) => ({
    ...{ key, type, name: type, config, templateId },
    position: { x: 0, y: 150 * (index + 1) },
  })),
  transitions: documentExample.transitions.map(({ from, to, branch = null }) => ({ from, to, branch, priority: 0 })),
};

const document = z.object({
  version: Version.meta({ description: "The version of the workflow, which increases with every change." }),
  name: z.string(),
  description: z.string().nullable(),
  triggerType: TriggerType,
  triggerConfig: Trigger,
  allowReentry: z.boolean(),
  enabled: z.boolean(),
  steps: z.array(DocumentStep),
  transitions: z.array(
    z.object({ from: z.string(), to: z.string(), branch: z.string().nullable(), priority: z.number().int() }),
  ),
});

export const WorkflowDocument = document.meta({ id: "WorkflowDocument", example: answerExample });

const Issues = z
  .array(z.object({ key: z.string().optional(), message: z.string() }))
  .meta({ description: "Probable mistakes in the workflow, with the keys of the steps." });

export const SavedDocument = document
  .extend({
    issues: Issues,
    jobId: z
      .string()
      .optional()
      .meta({
        description:
          "The job that moves executions away from removed steps. Present only if steps were removed. GET " +
          "/jobs/{jobId} shows when it is done.",
      }),
  })
  .meta({ id: "SavedWorkflowDocument", example: { ...answerExample, version: 8, issues: [] } });

const Keys = z.array(z.string());

const Transitions = z.array(
  z.object({ from: z.string(), to: z.string(), branch: z.string().optional(), priority: z.number().int().optional() }),
);

export const DocumentPlan = z
  .object({
    created: Keys,
    changed: Keys,
    removed: Keys,
    unchanged: Keys,
    fields: Keys.meta({
      description:
        "The fields of the workflow itself that would change, of `name`, `description`, `triggerType`, " +
        "`triggerConfig`, `allowReentry` and `enabled`. All of them for a new workflow.",
    }),
    transitions: z.object({ created: Transitions, removed: Transitions }).meta({
      description:
        "The transitions that would change. One with another `branch` or `priority` counts as removed and " +
        "created.",
    }),
    waiting: z
      .array(z.object({ key: z.string(), count: z.number().int() }))
      .meta({ description: "The removed steps that have active executions, each with the number of those." }),
    issues: Issues,
  })
  .meta({
    id: "WorkflowDocumentPlan",
    example: {
      created: ["tips"],
      changed: ["first-project"],
      removed: ["survey"],
      unchanged: ["welcome", "is-pro", "help"],
      fields: ["enabled"],
      transitions: {
        created: [{ from: "is-pro", to: "tips", branch: "yes" }],
        removed: [{ from: "is-pro", to: "survey", branch: "yes" }],
      },
      waiting: [{ key: "survey", count: 42 }],
      issues: [],
    },
  });

const flag = z.enum(["true", "false"]).optional();

export const DryRun = z.object({
  dryRun: flag.meta({ description: "Whether to only return what would change, and change nothing." }),
});

export const PutQuery = DryRun.extend({
  moveTo: z
    .string()
    .optional()
    .meta({ description: "The key of the step to which the executions on removed steps move." }),
  force: flag.meta({
    description: "Whether to end the executions on removed steps as EXITED, with the reason `Step was removed`.",
  }),
});
