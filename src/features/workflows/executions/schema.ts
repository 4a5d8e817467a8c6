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
  status: ExecutionStatus.meta({ description: "RUNNING and WAITING executions are active." }),
  currentStepId: z.string().nullable().meta({ description: "The step that it is at, or ended at." }),
  exitReason: z.string().nullable().meta({ description: "Why it is EXITED or CANCELLED." }),
  context: z.record(z.string(), z.unknown()).meta({
    description:
      "The caller's input, and under `event` the joined data of the events that started or woke it, with the newest value of " +
      "each key. The data has at most 64 KB; beyond that the oldest events are left out.",
  }),
  error: z.string().nullable().meta({ description: "Why it is FAILED." }),
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
    output: z
      .record(z.string(), z.unknown())
      .nullable()
      .meta({ description: "Available to later steps as `steps.<name>`." }),
    branch: z.string().nullable().meta({ description: "The branch that it took." }),
    reason: z.string().nullable().meta({ description: "Why the step was SKIPPED, or is tried again." }),
    error: z.string().nullable(),
    startedAt: z.iso.datetime(),
    completedAt: z.iso.datetime().nullable(),
    scheduledFor: z.iso.datetime().nullable().meta({ description: "When the step continues, or is tried again." }),
  })
  .meta({ id: "WorkflowStepExecution", example: stepExecutionExample });

export const WholeExecution = execution
  .extend({ steps: z.array(StepExecution).meta({ description: "Its path so far." }) })
  .meta({ id: "WholeWorkflowExecution", example: { ...executionExample, steps: [stepExecutionExample] } });

export const ExecutionPage = z
  .object({
    data: z.array(Execution),
    total: z.number().int(),
    page: z.number().int(),
    pageSize: z.number().int(),
    totalPages: z.number().int(),
    approximate: z
      .literal(true)
      .optional()
      .meta({ description: "Present when `stepId` is given and `total` counts only the newest 250,000 executions." }),
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
  description: "Available to templates and conditions as `context.*`. At most 16 KB of JSON.",
});

export const StartExecution = z
  .object({ contactId: z.string().min(1).transform(readId).meta({ type: "string" }), context: Context.nullish() })
  .meta({ id: "StartWorkflowExecution", example: { contactId: ids.contact, context: { plan: "pro" } } });
export type StartExecution = z.infer<typeof StartExecution>;

export const CancelledExecutions = z
  .object({ cancelled: z.number().int() })
  .meta({ id: "CancelledWorkflowExecutions", example: { cancelled: 42 } });
