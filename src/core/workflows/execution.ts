import type { Id } from "../ids";
import type { JsonObject } from "../json";
import type { StepOutcome } from "./outcome";
import type { StepType } from "./step";

export const executionStatuses = ["RUNNING", "WAITING", "COMPLETED", "EXITED", "FAILED", "CANCELLED"] as const;
export type ExecutionStatus = (typeof executionStatuses)[number];

export const stepStatuses = ["PENDING", "WAITING", "RUNNING", "COMPLETED", "SKIPPED", "FAILED"] as const;
export type StepStatus = (typeof stepStatuses)[number];

/** Why an execution waits: for a time, an event, the report of a call, or another attempt of its step. */
export type Pause = "sleep" | "event" | "call" | "retry";

/** An execution's state in its workflow. Only the machine computes a new one. */
export interface ExecutionPosition {
  status: ExecutionStatus;
  /** Null before the graph was first read. */
  stepId: Id | null;
  /** When the execution reached the step. */
  enteredAt: number;
  /** The number of steps that it reached before this one. */
  ordinal: number;
  pause: Pause | null;
  wakeAt: number | null;
  /** The name of the event for which the execution waits. */
  awaits: string | null;
  /** Events after this one count for the next wait. Null until the log has been read for the newest event. */
  since: Id | null;
  /** The outcome that ended the wait, on which the machine has yet to act. */
  outcome: StepOutcome | null;
  /** The number of failed attempts of the step. */
  attempts: number;
  exitReason: string | null;
  error: string | null;
  completedAt: number | null;
}

/** The record of an execution at a step. */
export interface StepRecord {
  stepId: Id;
  ordinal: number;
  type: StepType;
  name: string;
  status: StepStatus;
  output: JsonObject | null;
  branch: string | null;
  /** Why the step was skipped, or will be retried later. */
  reason: string | null;
  error: string | null;
  startedAt: number;
  completedAt: number | null;
  scheduledFor: number | null;
}

export function isActive(status: ExecutionStatus): boolean {
  return status === "RUNNING" || status === "WAITING";
}
