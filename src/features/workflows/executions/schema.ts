import { z } from "zod";
import { ContactData } from "../../../core/contacts/data";
import { readId } from "../../../core/ids";
import { utf8Bytes } from "../../../core/json";
import { Warnings } from "../../../core/warning";
import { executionStatuses, stepStatuses } from "../../../core/workflows/execution";
import { stepTypes } from "../../../core/workflows/step";

/** The maximum size of an execution's context, in bytes. Larger data belongs in an event, which is stored only once. */
export const maxContextBytes = 16 * 1024;

const ids = {
  execution: "0199a0f2-d5e6-7b2c-9d3e-4f5a6b7c8d9e",
  workflow: "0199a0f2-b3c4-7a1b-8c2d-3e4f5a6b7c8d",
  contact: "0199a0f2-6c1e-7b3a-9d54-0c8f6f1f2a10",
  step: "0199a0f2-c4d5-7c3d-ae4f-5a6b7c8d9e0f",
};

export const executionExample = {
  id: ids.execution,
  workflowId: ids.workflow,
  contactId: ids.contact,
  status: "WAITING" as const,
  currentStepId: ids.step,
  exitReason: null,
  context: { event: { plan: "pro" } },
  error: null,
  startedAt: "2026-01-31T09:00:00.000Z",
  completedAt: null,
  createdAt: "2026-01-31T09:00:00.000Z",
  updatedAt: "2026-01-31T09:00:00.000Z",
};

const stepExecutionExample = {
  id: "00000000-1133-8711-b371-153117f11391",
  executionId: ids.execution,
  stepId: ids.step,
  type: "DELAY" as const,
  name: "A day later",
  status: "WAITING" as const,
  output: null,
  branch: null,
  reason: null,
  error: null,
  startedAt: "2026-01-31T09:00:00.000Z",
  completedAt: null,
  scheduledFor: "2026-02-01T09:00:00.000Z",
};

export const ExecutionStatus = z.enum(executionStatuses);

const execution = z.object({
  id: z.string(),
  workflowId: z.string(),
  contactId: z.string(),
  status: ExecutionStatus.meta({
    description: "The state of the execution. RUNNING and WAITING executions are active.",
  }),
  currentStepId: z.string().nullable().meta({ description: "The step that the execution is at, or ended at." }),
  exitReason: z
    .string()
    .nullable()
    .meta({ description: "Why the execution is EXITED or CANCELLED. Null if there is no reason." }),
  context: z.record(z.string(), z.unknown()).meta({
    description:
      "The input of the caller and, under `event`, the merged data of the events that started or woke the " +
      "execution, with the newest value of each key. At most 64 KB of event data: beyond that, the oldest " +
      "events are left out.",
  }),
  error: z.string().nullable().meta({ description: "Why the execution is FAILED. Null otherwise." }),
  startedAt: z.iso.datetime(),
  completedAt: z.iso.datetime().nullable(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});

export const Execution = execution.meta({ id: "WorkflowExecution", example: executionExample });

const StepExecution = z
  .object({
    id: z.string(),
    executionId: z.string(),
    stepId: z.string(),
    type: z.enum(stepTypes),
    name: z.string(),
    status: z.enum(stepStatuses),
    output: z.record(z.string(), z.unknown()).nullable().meta({
      description: "The result of the step, which later steps can use as `steps.<name>`. Null if there is none.",
    }),
    branch: z.string().nullable().meta({ description: "The branch that the execution took. Null if it took none." }),
    reason: z.string().nullable().meta({
      description: "Why the step took its branch, was SKIPPED or is tried again. Null if there is no reason.",
    }),
    error: z.string().nullable(),
    startedAt: z.iso.datetime(),
    completedAt: z.iso.datetime().nullable(),
    scheduledFor: z.iso
      .datetime()
      .nullable()
      .meta({ description: "When the step continues or is tried again. Null if it does not wait for a time." }),
  })
  .meta({ id: "WorkflowStepExecution", example: stepExecutionExample });

export const WholeExecution = execution
  .extend({ steps: z.array(StepExecution).meta({ description: "The steps that the execution has reached." }) })
  .meta({ id: "WholeWorkflowExecution", example: { ...executionExample, steps: [stepExecutionExample] } });

export const ExecutionPage = z
  .object({
    data: z.array(Execution),
    total: z.number().int(),
    page: z.number().int(),
    pageSize: z.number().int(),
    totalPages: z.number().int(),
    approximate: z.literal(true).optional().meta({
      description: "Present if you filter by `stepId` and `total` counts only the newest 250,000 executions.",
    }),
    countedAt: z.iso.datetime().optional(),
    warnings: Warnings,
  })
  .meta({
    id: "WorkflowExecutionPage",
    example: { data: [executionExample], total: 1, page: 1, pageSize: 20, totalPages: 1 },
  });

const Context = ContactData.refine((value) => utf8Bytes(JSON.stringify(value)) <= maxContextBytes, {
  error: `Must be at most ${maxContextBytes} bytes as JSON`,
  params: { code: "too_big" },
}).meta({
  type: "object",
  description: "The input, which templates and conditions can use as `context.*`. At most 16 KB of JSON.",
});

export const StartExecution = z
  .object({ contactId: z.string().min(1).transform(readId).meta({ type: "string" }), context: Context.nullish() })
  .meta({ id: "StartWorkflowExecution", example: { contactId: ids.contact, context: { plan: "pro" } } });
export type StartExecution = z.infer<typeof StartExecution>;

export const CancelledExecutions = z
  .object({ cancelled: z.number().int() })
  .meta({ id: "CancelledWorkflowExecutions", example: { cancelled: 42 } });
