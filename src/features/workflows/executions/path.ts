import { z } from "zod";
import { publicId } from "../../../core/ids";
import { iso, isoOrNull } from "../../../core/time";
import { type StepRecord, stepStatuses } from "../../../core/workflows/execution";
import { type Step, stepTypes } from "../../../core/workflows/step";

export const pathStepExample = {
  stepId: "0199a0f2-c4d5-7c3d-ae4f-5a6b7c8d9e0f",
  name: "Pro?",
  type: "CONDITION",
  at: "2026-01-31T09:00:00.000Z",
  input: { field: "data.plan", operator: "equals", value: "pro" },
  outcome: "COMPLETED",
  branch: "no",
  reason: 'data.plan is "free"',
  nextAt: "2026-01-31T09:00:00.000Z",
};

/** A step on the path of an execution, real or simulated. */
export const PathStep = z
  .object({
    stepId: z.string(),
    name: z.string(),
    type: z.enum(stepTypes),
    at: z.iso.datetime().meta({ description: "When the execution reached the step." }),
    input: z.record(z.string(), z.unknown()).nullable().meta({
      description: "The step's current config. Null if the step was removed.",
    }),
    outcome: z.enum(stepStatuses),
    branch: z.string().nullable().meta({ description: "The branch that the execution took. Null if it took none." }),
    reason: z
      .string()
      .nullable()
      .meta({
        description:
          "Why the step took its branch, with the values that decided it; or why it was skipped, will be tried " +
          "again, or failed. Null if there is no reason.",
      }),
    nextAt: z.iso
      .datetime()
      .nullable()
      .meta({
        description:
          "When the execution continued, or will continue at the latest. Null while only an event can continue " +
          "it.",
      }),
  })
  .meta({
    id: "WorkflowPathStep",
    example: pathStepExample,
  });
export type PathStep = z.infer<typeof PathStep>;

export const ExecutionPath = z
  .object({ path: z.array(PathStep) })
  .meta({ id: "WorkflowExecutionPath", example: { path: [pathStepExample] } });

/**
 * Returns the path of an execution, in the order in which it reached the steps. `steps` are the workflow's current
 * steps.
 */
export function pathOf(records: readonly StepRecord[], steps: readonly Pick<Step, "id" | "config">[]): PathStep[] {
  const inputs = new Map(steps.map(({ id, config }) => [id, config]));
  return records.map((record) => ({
    stepId: publicId(record.stepId),
    name: record.name,
    type: record.type,
    at: iso(record.startedAt),
    input: inputOf(inputs.get(record.stepId)),
    outcome: record.status,
    branch: record.branch,
    reason: record.error ?? record.reason,
    nextAt: isoOrNull(record.completedAt ?? record.scheduledFor),
  }));
}

function inputOf(config: object | undefined): Record<string, unknown> | null {
  return config === undefined ? null : { ...config };
}
