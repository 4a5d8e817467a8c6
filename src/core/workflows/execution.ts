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

/** An execution's state in its workflow. Only the machine computes a new position. */
export interface ExecutionPosition {
  status: ExecutionStatus;
  /** Null until the graph has been read for the first time. */
  stepId: Id | null;
  /** When the execution reached the step. */
  enteredAt: number;
  /** The number of steps that the execution reached before this one. */
  ordinal: number;
  pause: Pause | null;
  wakeAt: number | null;
  /** The name of the event for which the execution waits. */
  awaits: string | null;
  /** The id of an event. Only later events can end a wait. Null until the newest event has been read from the log. */
  since: Id | null;
  /** The outcome that ended the wait, on which the machine has yet to act. */
  outcome: StepOutcome | null;
  /** The number of failed attempts of the step. */
  attempts: number;
  exitReason: string | null;
  error: string | null;
  completedAt: number | null;
}

/** The record of what happened to an execution at one step. */
export interface StepRecord {
  stepId: Id;
  ordinal: number;
  type: StepType;
  name: string;
  status: StepStatus;
  output: JsonObject | null;
  branch: string | null;
  /** Why the step was skipped, took its branch, ended the execution or will be retried. */
  reason: string | null;
  error: string | null;
  startedAt: number;
  completedAt: number | null;
  scheduledFor: number | null;
}

export function isActive(status: ExecutionStatus): boolean {
  return status === "RUNNING" || status === "WAITING";
}
