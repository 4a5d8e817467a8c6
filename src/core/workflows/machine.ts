import { type Backoff, backoffMs } from "../backoff";
import { type Id, timeOf } from "../ids";
import { dayMs, hourMs, minuteMs, secondMs } from "../time";
import type { DelayConfig } from "./config";
import { isActive, type Position, type StepRecord } from "./execution";
import type { Outcome } from "./outcome";
import type { Graph, Step } from "./step";

/**
 * The machine of workflows: pure, so that a run, a simulation and a test are the same. A run stands at a step; the step
 * comes to an outcome; the outcome moves the run.
 */

/** Where a run is after an outcome, and what it did at the step that it left or waits at. */
export interface Move {
  position: Position;
  /** Null when it met no step. */
  record: StepRecord | null;
}

const unitMs: Record<DelayConfig["unit"], number> = { minutes: minuteMs, hours: hourMs, days: dayMs };

/** A run that has just started. `since` is the event that started it, if one did. */
export function startPosition(now: number, since: Id | null): Position {
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

/** The step at which the run stands; null when it was removed. */
export function stepOf({ steps }: Graph, { stepId }: Position): Step | null {
  if (stepId === null) return steps.find(({ type }) => type === "TRIGGER") ?? null;
  return steps.find(({ id }) => id === stepId) ?? null;
}

/**
 * The outcome of a step that the graph and the clock decide alone; null for a step that has an effect, reads something,
 * or waits for an event.
 */
export function decide(step: Step, { enteredAt }: Position): Outcome | null {
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

/** The outcome of a step that waits for an event: what it takes on entry stays, whatever becomes of the step. */
export function beginWait(step: Extract<Step, { type: "WAIT_FOR_EVENT" }>, position: Position, since: Id): Outcome {
  const { eventName, timeout } = step.config;
  const until = timeout === undefined ? null : wholeMs(position.enteredAt + timeout * secondMs);
  return { kind: "waits", eventName, since, until };
}

/** No clock shows a part of a millisecond, so a time between two of them would never have come. */
function wholeMs(time: number): number {
  return Math.ceil(time);
}

/** Moves the run by what came of its step. */
export function advance(graph: Graph, position: Position, outcome: Outcome, now: number): Move {
  const step = stepOf(graph, position);
  if (step === null) return { position: vacated(position, null, now), record: null };
  const record = recordOf(step, position, outcome, now);
  const rested = { ...position, stepId: step.id, outcome: null };
  switch (outcome.kind) {
    case "done":
      return { position: onwards(graph, step, rested, outcome.branch ?? null, now), record };
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

/** Long enough for a sentence: hundreds of runs are mirrored together, and what is said of each has its limit. */
const maxReason = 500;

function brief(reason: string): string {
  return reason.length > maxReason ? `${reason.slice(0, maxReason - 1).toWellFormed()}…` : reason;
}

/** The run at its wake time. One that waits for something else, or no longer, stays as it is. */
export function wakeByTime(position: Position, now: number): Position {
  if (position.status !== "WAITING" || position.wakeAt === null || position.wakeAt > now) return position;
  switch (position.pause) {
    case "sleep":
      return resumed(position, { kind: "done" });
    case "event":
      return { ...resumed(position, { kind: "done", branch: "timeout" }), since: null };
    // Nothing was heard, or the time for another try has come: the step is done again.
    case "call":
    case "retry":
    case null:
      return resumed(position, null);
  }
}

/**
 * The run after the event that it waits for. Events up to its own `since` do not count, nor do those from the instant of
 * its timeout on, of which it has not heard yet: the log's own times decide, not who is told first.
 */
export function wakeByEvent(position: Position, event: { id: Id; name: string }): Position {
  const { status, pause, awaits, since, wakeAt } = position;
  const isAwaited = status === "WAITING" && pause === "event" && awaits === event.name;
  const isLate = wakeAt !== null && timeOf(event.id) >= wakeAt;
  if (!isAwaited || isLate || (since !== null && event.id <= since)) return position;
  return { ...resumed(position, { kind: "done", branch: "event" }), since: event.id };
}

/** The run after a report of its step's call, also one that comes while the call is about to be repeated. */
export function wakeByReport(position: Position, stepId: Id, outcome: Outcome): Position {
  const isOpen = isActive(position.status) && position.stepId === stepId && position.outcome === null;
  return isOpen ? resumed(position, outcome) : position;
}

/** Ends a run from outside, wherever it stands. */
export function cancelled(position: Position, exitReason: string, now: number): Position {
  return ended(position, "CANCELLED", now, { exitReason });
}

/** Why a run ends whose step is gone. */
export const stepRemoved = "Step was removed";

/** The run once its step is gone: at the step that takes its place, of whatever came of the former, or at its end. */
export function vacated(position: Position, to: Id | null, now: number): Position {
  if (to === null) return ended(position, "EXITED", now, { exitReason: stepRemoved });
  return { ...arrived(position, to, now), outcome: null };
}

const maxAttempts = 5;
const backoff: Backoff = { firstMs: 5 * secondMs, growth: 4, maxMs: 10 * minuteMs };

/** What comes of a step whose effect broke off: another try after a while, and in the end its failure. */
export function afterFailedTry(
  position: Position,
  reason: string,
  now: number,
): { position: Position; outcome: Outcome } {
  const attempts = position.attempts + 1;
  const counted = { ...position, attempts };
  if (attempts >= maxAttempts) return { position: counted, outcome: { kind: "failed", reason } };
  return { position: counted, outcome: { kind: "later", at: now + backoffMs(backoff, attempts - 1), reason } };
}

/** Whether a wait is one of the steps that may come next. The log must then be asked before the step has its effect. */
export function leadsToWait({ steps, transitions }: Graph, stepId: Id): boolean {
  const next = new Set(transitions.filter(({ fromStepId }) => fromStepId === stepId).map(({ toStepId }) => toStepId));
  return steps.some(({ id, type }) => type === "WAIT_FOR_EVENT" && next.has(id));
}

/** A run goes by the way of its branch, or by the one for all; a run without a way is at its end. */
function onwards(graph: Graph, step: Step, position: Position, branch: string | null, now: number): Position {
  const ways = graph.transitions.filter(({ fromStepId }) => fromStepId === step.id);
  const own = branch === null ? [] : ways.filter((way) => way.branch === branch);
  const open = own.length > 0 ? own : ways.filter((way) => way.branch === null);
  const [way] = open.toSorted((a, b) => b.priority - a.priority);
  if (!way) return ended(position, "COMPLETED", now);
  const next = graph.steps.find(({ id }) => id === way.toStepId);
  if (!next) return vacated(position, null, now);
  return { ...arrived(position, next.id, now), since: next.type === "WAIT_FOR_EVENT" ? position.since : null };
}

function arrived(position: Position, stepId: Id, now: number): Position {
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

function paused(position: Position, pause: Position["pause"], wakeAt: number | null): Position {
  return { ...position, status: "WAITING", pause, wakeAt, awaits: null };
}

function resumed(position: Position, outcome: Outcome | null): Position {
  return { ...position, status: "RUNNING", pause: null, wakeAt: null, awaits: null, outcome };
}

function ended(
  position: Position,
  status: "COMPLETED" | "EXITED" | "FAILED" | "CANCELLED",
  now: number,
  why: { exitReason?: string | null; error?: string } = {},
): Position {
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

function recordOf(step: Step, { enteredAt, place }: Position, outcome: Outcome, now: number): StepRecord {
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
