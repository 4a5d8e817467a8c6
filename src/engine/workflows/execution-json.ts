import { type Id, publicId, publicIdOfPair, publicIdOrNull } from "../../core/ids";
import { iso, isoOrNull } from "../../core/time";
import type { ExecutionView } from "../../platform/workflow-shards";

/** Returns an execution as customers see it. */
export function executionJson(view: Omit<ExecutionView, "steps">) {
  return {
    id: publicId(view.id),
    workflowId: publicId(view.workflowId),
    contactId: publicId(view.contactId),
    status: view.status,
    currentStepId: publicIdOrNull(view.currentStepId),
    exitReason: view.exitReason,
    context: view.context,
    error: view.error,
    startedAt: iso(view.startedAt),
    completedAt: isoOrNull(view.completedAt),
    createdAt: iso(view.startedAt),
    updatedAt: iso(view.updatedAt),
  };
}

export function wholeExecutionJson(view: ExecutionView) {
  return { ...executionJson(view), steps: view.steps.map((step) => stepJson(view.id, step)) };
}

/** An execution reaches a step only once, so the two ids together identify the record. */
function stepJson(executionId: Id, step: ExecutionView["steps"][number]) {
  return {
    id: publicIdOfPair(executionId, step.stepId),
    executionId: publicId(executionId),
    stepId: publicId(step.stepId),
    type: step.type,
    name: step.name,
    status: step.status,
    output: step.output,
    branch: step.branch,
    reason: step.reason,
    error: step.error,
    startedAt: iso(step.startedAt),
    completedAt: isoOrNull(step.completedAt),
    scheduledFor: isoOrNull(step.scheduledFor),
  };
}
