import { type Id, timeOf } from "../ids";
import { type ExecutionPosition, isActive } from "./execution";
import type { StepOutcome } from "./outcome";
import { resumed } from "./position";

/**
 * Returns the execution's position once its wake time has come. The position stays the same if the execution does not
 * wait for a time, or if that time has not come.
 */
export function wakeByTime(position: ExecutionPosition, now: number): ExecutionPosition {
  if (position.status !== "WAITING" || position.wakeAt === null || position.wakeAt > now) return position;
  switch (position.pause) {
    case "sleep":
      return resumed(position, { kind: "done" });
    case "event":
      return { ...resumed(position, { kind: "done", branch: "timeout" }), since: null };
    // No report came, or the time for another attempt has come: the step runs again.
    case "call":
    case "retry":
    case null:
      return resumed(position, null);
  }
}

/**
 * Returns the execution's position after an event. The event counts only if the execution waits for it, and if it is
 * newer than the execution's `since` and older than its timeout. This holds even if the timeout has not been processed
 * yet: the time of the event decides, not the order of delivery.
 */
export function wakeByEvent(position: ExecutionPosition, event: { id: Id; name: string }): ExecutionPosition {
  const { status, pause, awaits, since, wakeAt } = position;
  const isAwaited = status === "WAITING" && pause === "event" && awaits === event.name;
  const isLate = wakeAt !== null && timeOf(event.id) >= wakeAt;
  if (!isAwaited || isLate || (since !== null && event.id <= since)) return position;
  return { ...resumed(position, { kind: "done", branch: "event" }), since: event.id };
}

/**
 * Returns the execution's position after the outcome of its step's call was reported. The report counts even if the
 * call was about to be repeated.
 */
export function wakeByReport(position: ExecutionPosition, stepId: Id, outcome: StepOutcome): ExecutionPosition {
  const isOpen = isActive(position.status) && position.stepId === stepId && position.outcome === null;
  return isOpen ? resumed(position, outcome) : position;
}
