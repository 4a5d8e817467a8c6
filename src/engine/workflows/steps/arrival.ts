import type { Id } from "../../../core/ids";
import type { JsonObject } from "../../../core/json";
import type { StepOf, StepType } from "../../../core/workflows/step";
import type { EventSource } from "../../events/record";

export type { EventSource };

/** The values that an execution's templates, conditions and calls can name, in addition to its contact. */
export interface Scope {
  /**
   * The event that last started or woke the execution, with the joined data of all events that did so. Null after a
   * start by hand or on a schedule. `publicKeys` are the keys of the data whose values were sent with a public API key.
   */
  event: { id: Id; name: string; source: EventSource; data: JsonObject; publicKeys: string[] } | null;
  /** The caller's input to a start by hand. */
  context: JsonObject;
  /** The outputs of the steps so far, by step name. */
  steps: JsonObject;
}

/**
 * An execution that has reached a step. The step's effect has the id `execution:step`, which is unique because no
 * execution reaches a step twice.
 */
export interface Arrival<T extends StepType = StepType> {
  executionId: Id;
  workflow: { id: Id; name: string; linkBase: string | null };
  contactId: Id;
  step: StepOf<T>;
  scope: Scope;
  /** Whether an event sent with a public key started or woke the execution. */
  isPublic: boolean;
  /**
   * The workflows that led to this arrival, including its own. Events that the step causes carry this list, so that
   * loops are noticed.
   */
  causes: string[];
}

/** The reason for a step's outcome when the contact no longer exists. */
export const contactDeleted = "The contact was deleted";

/** Returns the id of a step's effect: unique, and the same at every repeat. */
export function effectIdOf({ executionId, step }: Pick<Arrival, "executionId" | "step">): string {
  return `${executionId}:${step.id}`;
}
