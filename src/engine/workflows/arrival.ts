import type { Id } from "../../core/ids";
import type { JsonObject } from "../../core/json";
import type { Step, StepType } from "../../core/workflows/step";
import type { EventSource } from "../events/record";

export type { EventSource };

/** What templates, conditions and calls of a run can name beside its contact. */
export interface Scope {
  /**
   * The event that last started or woke the run, with the data of all that did; null for one that was started by hand or
   * by the clock. `publicKeys` are the keys of the data that a public key has sent.
   */
  event: { id: Id; name: string; source: EventSource; data: JsonObject; publicKeys: string[] } | null;
  /** What the caller gave when it started the run by hand. */
  context: JsonObject;
  /** The outputs of its steps so far, by their names. */
  steps: JsonObject;
}

/** A run that has come to a step. Its effect there has the id `execution:step`, because no run comes to a step twice. */
export interface Arrival<T extends StepType = StepType> {
  executionId: Id;
  workflow: { id: Id; name: string; linkBase: string | null };
  contactId: Id;
  step: Extract<Step, { type: T }>;
  scope: Scope;
  /** An event of a public key has started or woken it. */
  isPublic: boolean;
  /** The workflows that led here, this one included: what the step causes carries them. */
  causes: string[];
}

/** The name of a step's effect: unique, and the same at every repeat. */
export function effectIdOf({ executionId, step }: Pick<Arrival, "executionId" | "step">): string {
  return `${executionId}:${step.id}`;
}
