import { type Id, timeOf } from "../ids";
import { type ExecutionPosition, isActive } from "./execution";
import type { StepOutcome } from "./outcome";
import { resumed } from "./position";

/**
 * Returns the execution's position at its wake time. It stays the same if the execution waits for something else, or
 * not at all.
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
 * Returns the execution's position after the event that it waits for. Events up to its own `since` do not count, nor do
 * events from its timeout on, even if the timeout was not processed yet: the event's own time decides, not the order of
 * delivery.
 */
export function wakeByEvent(position: ExecutionPosition, event: { id: Id; name: string }): ExecutionPosition {
  const { status, pause, awaits, since, wakeAt } = position;
  const isAwaited = status === "WAITING" && pause === "event" && awaits === event.name;
  const isLate = wakeAt !== null && timeOf(event.id) >= wakeAt;
  if (!isAwaited || isLate || (since !== null && event.id <= since)) return position;
  return { ...resumed(position, { kind: "done", branch: "event" }), since: event.id };
}

/**
 * Returns the execution's position after the report of its step's call, even if the call is just about to be repeated.
 */
export function wakeByReport(position: ExecutionPosition, stepId: Id, outcome: StepOutcome): ExecutionPosition {
  const isOpen = isActive(position.status) && position.stepId === stepId && position.outcome === null;
  return isOpen ? resumed(position, outcome) : position;
}
