import type { Id } from "../ids";
import type { JsonObject } from "../json";
import type { Outcome } from "./outcome";
import type { StepType } from "./step";

export const executionStatuses = ["RUNNING", "WAITING", "COMPLETED", "EXITED", "FAILED", "CANCELLED"] as const;
export type ExecutionStatus = (typeof executionStatuses)[number];

export const stepStatuses = ["PENDING", "WAITING", "RUNNING", "COMPLETED", "SKIPPED", "FAILED"] as const;
export type StepStatus = (typeof stepStatuses)[number];

/** Why a run waits: for a time, an event, somebody's report, or for another try of its step. */
export type Pause = "sleep" | "event" | "call" | "retry";

/** Where a run stands in its workflow. Only the machine makes a new one of it. */
export interface Position {
  status: ExecutionStatus;
  /** Null before the first look at the graph. */
  stepId: Id | null;
  /** When it came to the step. */
  enteredAt: number;
  /** The number of steps that it came to before this one. */
  place: number;
  pause: Pause | null;
  wakeAt: number | null;
  /** The name of the event that it waits for. */
  awaits: string | null;
  /** Events after this one count for a wait that the run comes to next. Null when nobody has asked the log yet. */
  since: Id | null;
  /** What the step has come to while the run waited, and what the machine has yet to act on. */
  outcome: Outcome | null;
  /** The number of failed tries of the step. */
  attempts: number;
  exitReason: string | null;
  error: string | null;
  completedAt: number | null;
}

/** What a run did at a step. */
export interface StepRecord {
  stepId: Id;
  place: number;
  type: StepType;
  name: string;
  status: StepStatus;
  output: JsonObject | null;
  branch: string | null;
  /** Why it was skipped, or is tried again later. */
  reason: string | null;
  error: string | null;
  startedAt: number;
  completedAt: number | null;
  scheduledFor: number | null;
}

export function isActive(status: ExecutionStatus): boolean {
  return status === "RUNNING" || status === "WAITING";
}
