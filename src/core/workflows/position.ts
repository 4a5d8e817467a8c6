import type { Id } from "../ids";
import type { ExecutionPosition } from "./execution";
import type { StepOutcome } from "./outcome";

/**
 * Returns the position of an execution that has just started. `since` is the event that started it, if there was one.
 */
export function startPosition(now: number, since: Id | null): ExecutionPosition {
  return {
    status: "RUNNING",
    stepId: null,
    enteredAt: now,
    ordinal: 0,
    pause: null,
    wakeAt: null,
    awaits: null,
    since,
    outcome: null,
    attempts: 0,
    exitReason: null,
    error: null,
    completedAt: null,
  };
}

export function arrived(position: ExecutionPosition, stepId: Id, now: number): ExecutionPosition {
  return {
    ...position,
    status: "RUNNING",
    stepId,
    enteredAt: now,
    ordinal: position.ordinal + 1,
    pause: null,
    wakeAt: null,
    awaits: null,
    since: null,
    attempts: 0,
  };
}

export function paused(
  position: ExecutionPosition,
  pause: ExecutionPosition["pause"],
  wakeAt: number | null,
): ExecutionPosition {
  return { ...position, status: "WAITING", pause, wakeAt, awaits: null };
}

export function resumed(position: ExecutionPosition, outcome: StepOutcome | null): ExecutionPosition {
  return { ...position, status: "RUNNING", pause: null, wakeAt: null, awaits: null, outcome };
}

export function ended(
  position: ExecutionPosition,
  status: "COMPLETED" | "EXITED" | "FAILED" | "CANCELLED",
  now: number,
  why: { exitReason?: string | null; error?: string } = {},
): ExecutionPosition {
  return {
    ...position,
    status,
    pause: null,
    wakeAt: null,
    awaits: null,
    since: null,
    outcome: null,
    exitReason: why.exitReason ?? null,
    error: why.error ?? null,
    completedAt: now,
  };
}

/**
 * The maximum length of a stored reason, in characters: enough for a sentence, and short enough that one statement can
 * copy hundreds of executions into D1.
 */
const maxReason = 500;

export function brief(reason: string): string {
  return reason.length > maxReason ? `${reason.slice(0, maxReason - 1).toWellFormed()}…` : reason;
}
