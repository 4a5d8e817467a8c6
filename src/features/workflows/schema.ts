import { z } from "zod";
import { readId } from "../../core/ids";
import { Description, Name } from "../../core/name";
import { VersionNumber } from "../../core/version";
import { Warnings } from "../../core/warning";
import { AwaitedName } from "../../core/workflows/event-name";
import { triggerTypes } from "../../core/workflows/trigger";
import { DocumentSteps, DocumentTransitions, documentExample } from "./document/graph-schema";
import { Step, stepExample, triggerStepExample } from "./steps/schema";
import { Transition, transitionExample } from "./transitions/schema";

export const TriggerType = z.enum(triggerTypes);

const workflowExample = {
  id: "0199a0f2-b3c4-7a1b-8c2d-3e4f5a6b7c8d",
  name: "Welcome",
  description: "Mails everyone who signs up",
  enabled: false,
  triggerType: "EVENT" as const,
  triggerConfig: { eventName: "signup", publicEvents: true },
  allowReentry: false,
  issues: [],
  version: 3,
  projectId: "0199a0f2-0b7a-7c11-8e0f-3d2c1b0a9f8e",
  createdAt: "2026-01-31T09:00:00.000Z",
  updatedAt: "2026-01-31T09:00:00.000Z",
};

const Issue = z.object({
  stepId: z
    .string()
    .optional()
    .meta({ description: "The step with the issue. Absent if the issue concerns the whole workflow." }),
  message: z.string(),
});

/** The `triggerConfig` of an answer. */
export const Trigger = z
  .object({
    eventName: z.string().nullable(),
    publicEvents: z.boolean(),
    cron: z.string(),
    segmentId: z.string(),
  })
  .partial()
  .meta({
    description:
      "EVENT: `{ eventName, publicEvents }`. SCHEDULE: `{ cron, segmentId }`. MANUAL: `{}`. With " +
      "`publicEvents: false`, events sent with public keys neither start nor wake executions.",
  });

const workflow = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  enabled: z
    .boolean()
    .meta({ description: "Whether the trigger starts executions. You can start them by hand either way." }),
  triggerType: TriggerType,
  triggerConfig: Trigger,
  allowReentry: z.boolean().meta({
    description:
      "If false, a contact can enter the workflow only once. If true, it can enter again after its " +
      "previous execution has ended.",
  }),
  issues: z.array(Issue).meta({
    description: "Probable mistakes in the workflow, which can be enabled even so. Empty if there are none.",
  }),
  version: VersionNumber,
  projectId: z.string(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});

export const Workflow = workflow.meta({ id: "Workflow", example: workflowExample });

export const WholeWorkflow = workflow.extend({ steps: z.array(Step), transitions: z.array(Transition) }).meta({
  id: "WholeWorkflow",
  example: { ...workflowExample, steps: [triggerStepExample, stepExample], transitions: [transitionExample] },
});

export const WorkflowPage = z
  .object({
    data: z.array(Workflow),
    total: z.number().int(),
    page: z.number().int(),
    pageSize: z.number().int(),
    totalPages: z.number().int(),
    warnings: Warnings,
  })
  .meta({
    id: "WorkflowPage",
    example: { data: [workflowExample], total: 1, page: 1, pageSize: 20, totalPages: 1 },
  });

/**
 * The `triggerConfig` of a request. Only `readTrigger` checks which names each type of trigger accepts and requires.
 */
const TriggerConfig = z
  .object({
    eventName: AwaitedName.nullish().meta({ type: ["string", "null"] }),
    publicEvents: z.boolean().nullish().meta({
      description:
        "Whether events sent with public keys, which are not secret, start and wake executions. Default: true.",
    }),
    cron: z
      .string()
      .nullish()
      .meta({
        description:
          "The schedule in five cron fields, in UTC. Ticks must be at least 5 minutes apart; if several were " +
          "missed, only the latest runs.",
        example: "0 9 * * MON",
      }),
    segmentId: z
      .string()
      .min(1)
      .transform(readId)
      .nullish()
      .meta({ description: "The segment whose members enter the workflow at each tick." }),
  })
  .meta({
    description:
      "The settings of the trigger: EVENT takes `eventName` and `publicEvents`, SCHEDULE takes `cron` and " +
      "`segmentId`, MANUAL takes none.",
  });
export type SentTrigger = z.infer<typeof TriggerConfig>;

/** The fields of a workflow that a call sets. */
export const fields = {
  name: Name,
  description: Description.nullish(),
  eventName: AwaitedName.nullish().meta({
    type: ["string", "null"],
    description: "Short for `triggerConfig: { eventName }`.",
  }),
  triggerType: TriggerType.nullish(),
  triggerConfig: TriggerConfig.nullish(),
  allowReentry: z.boolean().nullish(),
};

export const CreateWorkflow = z
  .object({
    ...fields,
    enabled: z
      .boolean()
      .nullish()
      .meta({ description: "Whether the workflow starts enabled. Default: false. Ignored without `steps`." }),
    steps: DocumentSteps.nullish(),
    transitions: DocumentTransitions.nullish().meta({
      description: "The transitions between the steps: 422 if you send them without `steps`.",
    }),
  })
  .meta({ id: "CreateWorkflow", example: documentExample });
export type CreateWorkflow = z.infer<typeof CreateWorkflow>;

export const UpdateWorkflow = z
  .object({ ...fields, name: fields.name.optional(), enabled: z.boolean().optional() })
  .meta({ id: "UpdateWorkflow", example: { enabled: true } });
export type UpdateWorkflow = z.infer<typeof UpdateWorkflow>;
