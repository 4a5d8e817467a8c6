import { z } from "zod";
import { fields, Trigger, TriggerType } from "../schema";
import { DocumentStep, DocumentSteps, DocumentTransitions, documentExample } from "./graph-schema";

const Version = z.number().int().min(1);

export const PutDocument = z
  .object({
    version: Version.nullish().meta({
      description: "The version that you have read: 409 if the workflow has changed since.",
    }),
    ...fields,
    enabled: z.boolean().nullish().meta({ description: "Unchanged if left out." }),
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
  version: Version.meta({ description: "Increases with every change of the workflow." }),
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
  .meta({ description: "Probable mistakes, by the keys of the steps." });

export const SavedDocument = document
  .extend({
    issues: Issues,
    jobId: z.string().optional().meta({
      description:
        "If steps were removed: the job that moves executions away from them. GET /jobs/{jobId} shows when it is done.",
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
        "The fields of the workflow itself that would change: `name`, `description`, `triggerType`, `triggerConfig`, " +
        "`allowReentry`, `enabled`. All of them for a new workflow.",
    }),
    transitions: z
      .object({ created: Transitions, removed: Transitions })
      .meta({ description: "A transition with another `branch` or `priority` counts as removed and created." }),
    waiting: z
      .array(z.object({ key: z.string(), count: z.number().int() }))
      .meta({ description: "The removed steps with active executions, and how many each has." }),
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
  dryRun: flag.meta({ description: "Returns what would change, and changes nothing." }),
});

export const PutQuery = DryRun.extend({
  moveTo: z.string().optional().meta({ description: "The key of the step to which executions on removed steps move." }),
  force: flag.meta({
    description: "Ends the executions on removed steps as EXITED, with the reason `Step was removed`.",
  }),
});
