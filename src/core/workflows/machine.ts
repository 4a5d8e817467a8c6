import { type Backoff, backoffMs } from "../backoff";
import { type Id, timeOf } from "../ids";
import { dayMs, hourMs, minuteMs, secondMs } from "../time";
import type { DelayConfig } from "./config";
import { type ExecutionPosition, isActive, type StepRecord } from "./execution";
import type { StepOutcome } from "./outcome";
import type { Graph, Step } from "./step";

/**
 * The machine of workflows. It is pure, so real executions, simulations and tests behave the same. An execution is at a
 * step; the step has an outcome; the outcome moves the execution.
 */

/** An execution's position after an outcome, and the record of the step that it left or waits at. */
export interface Move {
  position: ExecutionPosition;
  /** Null if the step was removed. */
  record: StepRecord | null;
}

const unitMs: Record<DelayConfig["unit"], number> = { minutes: minuteMs, hours: hourMs, days: dayMs };

/**
 * Returns the position of an execution that has just started. `since` is the event that started it, if there was one.
 */
export function startPosition(now: number, since: Id | null): ExecutionPosition {
  return {
    status: "RUNNING",
    stepId: null,
    enteredAt: now,
    place: 0,
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

/** Returns the step that the execution is at; null if it was removed. */
export function stepOf({ steps }: Graph, { stepId }: ExecutionPosition): Step | null {
  if (stepId === null) return steps.find(({ type }) => type === "TRIGGER") ?? null;
  return steps.find(({ id }) => id === stepId) ?? null;
}

/**
 * Returns the outcome of a step if the graph and the clock alone decide it; null for a step that has an effect, reads
 * something, or waits for an event.
 */
export function decide(step: Step, { enteredAt }: ExecutionPosition): StepOutcome | null {
  switch (step.type) {
    case "TRIGGER":
      return { kind: "done" };
    case "DELAY":
      return { kind: "sleeps", until: wholeMs(enteredAt + step.config.amount * unitMs[step.config.unit]) };
    case "EXIT":
      return { kind: "exits", reason: step.config.reason ?? null };
    case "WAIT_FOR_EVENT":
    case "SEND_EMAIL":
    case "CONDITION":
    case "UPDATE_CONTACT":
    case "WEBHOOK":
      return null;
  }
}

/**
 * Returns the outcome of a step that waits for an event. Its event and timeout are fixed on entry, even if the step
 * changes later.
 */
export function beginWait(
  step: Extract<Step, { type: "WAIT_FOR_EVENT" }>,
  position: ExecutionPosition,
  since: Id,
): StepOutcome {
  const { eventName, timeout } = step.config;
  const until = timeout === undefined ? null : wholeMs(position.enteredAt + timeout * secondMs);
  return { kind: "waits", eventName, since, until };
}

/** Clocks show whole milliseconds, so a wake time in between would be later than a clock that shows it. */
function wholeMs(time: number): number {
  return Math.ceil(time);
}

/** Moves the execution by the outcome of its step. */
export function advance(graph: Graph, position: ExecutionPosition, outcome: StepOutcome, now: number): Move {
  const step = stepOf(graph, position);
  if (step === null) return { position: vacated(position, null, now), record: null };
  const record = recordOf(step, position, outcome, now);
  const rested = { ...position, stepId: step.id, outcome: null };
  switch (outcome.kind) {
    case "done":
      return { position: nextPosition(graph, step, rested, outcome.branch ?? null, now), record };
    case "sleeps":
      return { position: paused(rested, "sleep", outcome.until), record };
    case "waits":
      return {
        position: { ...paused(rested, "event", outcome.until), awaits: outcome.eventName, since: outcome.since },
        record,
      };
    case "called":
      return { position: paused(rested, "call", outcome.until), record };
    case "later":
      return { position: paused(rested, "retry", outcome.at), record };
    case "exits":
      return { position: ended(rested, "EXITED", now, { exitReason: outcome.reason }), record };
    case "cancelled":
      return { position: ended(rested, "CANCELLED", now, { exitReason: outcome.reason }), record };
    case "failed":
      return { position: ended(rested, "FAILED", now, { error: brief(outcome.reason) }), record };
  }
}

/** Long enough for a sentence. The limit keeps the statements that mirror hundreds of executions together small. */
const maxReason = 500;

function brief(reason: string): string {
  return reason.length > maxReason ? `${reason.slice(0, maxReason - 1).toWellFormed()}…` : reason;
}

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

/** Ends an execution from outside, whatever step it is at. */
export function cancelled(position: ExecutionPosition, exitReason: string, now: number): ExecutionPosition {
  return ended(position, "CANCELLED", now, { exitReason });
}

/** The exit reason of executions whose step was removed. */
export const stepRemoved = "Step was removed";

/** Moves an execution off a removed step: to another step, without the old step's outcome, or to its end. */
export function vacated(position: ExecutionPosition, to: Id | null, now: number): ExecutionPosition {
  if (to === null) return ended(position, "EXITED", now, { exitReason: stepRemoved });
  return { ...arrived(position, to, now), outcome: null };
}

const maxAttempts = 5;
const backoff: Backoff = { firstMs: 5 * secondMs, growth: 4, maxMs: 10 * minuteMs };

/** Returns the outcome of a step whose effect threw: another attempt after a while, and finally a failure. */
export function afterFailedTry(
  position: ExecutionPosition,
  reason: string,
  now: number,
): { position: ExecutionPosition; outcome: StepOutcome } {
  const attempts = position.attempts + 1;
  const counted = { ...position, attempts };
  if (attempts >= maxAttempts) return { position: counted, outcome: { kind: "failed", reason } };
  return { position: counted, outcome: { kind: "later", at: now + backoffMs(backoff, attempts - 1), reason } };
}

/** Whether a wait may come directly after this step. The log must then be asked before the step has its effect. */
export function leadsToWait({ steps, transitions }: Graph, stepId: Id): boolean {
  const next = new Set(transitions.filter(({ fromStepId }) => fromStepId === stepId).map(({ toStepId }) => toStepId));
  return steps.some(({ id, type }) => type === "WAIT_FOR_EVENT" && next.has(id));
}

/**
 * Follows the transition of the branch, or the default one if the branch has none. Without either, the execution
 * completes.
 */
function nextPosition(
  graph: Graph,
  step: Step,
  position: ExecutionPosition,
  branch: string | null,
  now: number,
): ExecutionPosition {
  const drawn = graph.transitions.filter(({ fromStepId }) => fromStepId === step.id);
  const own = branch === null ? [] : drawn.filter((transition) => transition.branch === branch);
  const candidates = own.length > 0 ? own : drawn.filter((transition) => transition.branch === null);
  const [transition] = candidates.toSorted((a, b) => b.priority - a.priority);
  if (!transition) return ended(position, "COMPLETED", now);
  const next = graph.steps.find(({ id }) => id === transition.toStepId);
  if (!next) return vacated(position, null, now);
  return { ...arrived(position, next.id, now), since: next.type === "WAIT_FOR_EVENT" ? position.since : null };
}

function arrived(position: ExecutionPosition, stepId: Id, now: number): ExecutionPosition {
  return {
    ...position,
    status: "RUNNING",
    stepId,
    enteredAt: now,
    place: position.place + 1,
    pause: null,
    wakeAt: null,
    awaits: null,
    since: null,
    attempts: 0,
  };
}

function paused(
  position: ExecutionPosition,
  pause: ExecutionPosition["pause"],
  wakeAt: number | null,
): ExecutionPosition {
  return { ...position, status: "WAITING", pause, wakeAt, awaits: null };
}

function resumed(position: ExecutionPosition, outcome: StepOutcome | null): ExecutionPosition {
  return { ...position, status: "RUNNING", pause: null, wakeAt: null, awaits: null, outcome };
}

function ended(
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

function recordOf(step: Step, { enteredAt, place }: ExecutionPosition, outcome: StepOutcome, now: number): StepRecord {
  const base: StepRecord = {
    stepId: step.id,
    place,
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
