import { type Backoff, backoffMs } from "../backoff";
import type { Id } from "../ids";
import { minuteMs, secondMs } from "../time";
import type { ExecutionPosition, StepRecord } from "./execution";
import type { StepOutcome } from "./outcome";
import { arrived, brief, ended, paused } from "./position";
import { definitionOf, type Graph, type Step } from "./step";
import { recordOf } from "./step-record";

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

/** Returns the step that the execution is at; null if that step was removed. */
export function stepOf({ steps }: Graph, { stepId }: ExecutionPosition): Step | null {
  if (stepId === null) return steps.find(({ type }) => type === "TRIGGER") ?? null;
  return steps.find(({ id }) => id === stepId) ?? null;
}

/** Returns the outcome of a step if the graph and the clock alone decide it; null for any other step. */
export function decide({ type, config }: Step, { enteredAt }: ExecutionPosition): StepOutcome | null {
  return definitionOf(type).decide?.(config, enteredAt) ?? null;
}

/**
 * Returns the outcome of a step that waits for an event; null for any other step. The event and the timeout are fixed
 * when the execution reaches the step, even if the step changes later.
 */
export function beginWait({ type, config }: Step, { enteredAt }: ExecutionPosition, since: Id): StepOutcome | null {
  const wait = definitionOf(type).wait?.(config);
  if (!wait) return null;
  // Rounded up to whole milliseconds: with a fraction, the clock could wake the execution just before this time.
  const until = wait.timeoutMs === null ? null : Math.ceil(enteredAt + wait.timeoutMs);
  return { kind: "waits", eventName: wait.eventName, since, until };
}

export function isWait({ type }: Pick<Step, "type">): boolean {
  return definitionOf(type).wait !== undefined;
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

/** Ends an execution from outside, regardless of its current step. */
export function cancelled(position: ExecutionPosition, exitReason: string, now: number): ExecutionPosition {
  return ended(position, "CANCELLED", now, { exitReason });
}

/** The exit reason of executions whose step was removed. */
export const stepRemoved = "Step was removed";

/**
 * Moves an execution from a removed step to the step `to`, or ends it when `to` is null. The outcome of the removed
 * step is dropped.
 */
export function vacated(position: ExecutionPosition, to: Id | null, now: number): ExecutionPosition {
  if (to === null) return ended(position, "EXITED", now, { exitReason: stepRemoved });
  return { ...arrived(position, to, now), outcome: null };
}

const maxAttempts = 5;
const backoff: Backoff = { firstMs: 5 * secondMs, growth: 4, maxMs: 10 * minuteMs };

/**
 * Returns the outcome of a step whose effect threw: another attempt after a while or, after the last attempt, a
 * failure.
 */
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

/**
 * Whether a wait may come directly after this step. If so, the log of events must be read before the step has its
 * effect.
 */
export function leadsToWait({ steps, transitions }: Graph, stepId: Id): boolean {
  const next = new Set(transitions.filter(({ fromStepId }) => fromStepId === stepId).map(({ toStepId }) => toStepId));
  return steps.some((step) => isWait(step) && next.has(step.id));
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
  return { ...arrived(position, next.id, now), since: isWait(next) ? position.since : null };
}
