import type { ExecutionPosition, StepRecord } from "./execution";
import type { StepOutcome } from "./outcome";
import { brief } from "./position";
import type { Step } from "./step";

/** Returns the record of a step with this outcome. */
export function recordOf(
  step: Step,
  { enteredAt, ordinal }: ExecutionPosition,
  outcome: StepOutcome,
  now: number,
): StepRecord {
  const base: StepRecord = {
    stepId: step.id,
    ordinal,
    type: step.type,
    name: step.name,
    status: "COMPLETED",
    output: null,
    branch: null,
    reason: null,
    error: null,
    startedAt: enteredAt,
    completedAt: now,
    scheduledFor: null,
  };
  switch (outcome.kind) {
    case "done": {
      const { branch = null, output = null, skipped = null, because = null } = outcome;
      const status = skipped === null ? "COMPLETED" : "SKIPPED";
      return { ...base, status, branch, output, reason: skipped ?? because };
    }
    case "sleeps":
    case "waits":
      return { ...base, status: "WAITING", completedAt: null, scheduledFor: outcome.until };
    case "called":
      return { ...base, status: "RUNNING", completedAt: null };
    case "later":
      return { ...base, status: "WAITING", completedAt: null, scheduledFor: outcome.at, reason: outcome.reason };
    case "exits":
      return { ...base, reason: outcome.reason };
    case "cancelled":
      return { ...base, status: "SKIPPED", reason: outcome.reason };
    case "failed":
      return { ...base, status: "FAILED", error: brief(outcome.reason) };
  }
}
