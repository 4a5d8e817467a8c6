import type { Id } from "../../../core/ids";
import type { JsonObject } from "../../../core/json";
import type { StepRecord } from "../../../core/workflows/execution";
import type { ExecutionView } from "../../../platform/workflow-shards";
import { eventOf } from "./arrivals";
import { recordsOf } from "./records";
import { findExecution } from "./rows";
import type { ShardStore, StoredExecution } from "./store";

/** Returns an execution as the API shows it; null if it does not exist. */
export function viewOf(store: ShardStore, id: Id): ExecutionView | null {
  const execution = findExecution(store, id);
  if (execution === null) return null;
  const steps: StepRecord[] = recordsOf(store, execution);
  return {
    id,
    workflowId: execution.workflowId,
    contactId: execution.contactId,
    status: execution.status,
    currentStepId: execution.stepId,
    exitReason: execution.exitReason,
    error: execution.error,
    context: contextOf(store, execution),
    startedAt: execution.startedAt,
    completedAt: execution.completedAt,
    updatedAt: execution.updatedAt,
    steps,
  };
}

/** Returns the part of an execution that the API shows but the mirror does not store. */
export function contextOf(store: ShardStore, execution: StoredExecution): JsonObject {
  const event = eventOf(store, execution);
  return { ...execution.context, ...(event ? { event: event.data } : {}) };
}
