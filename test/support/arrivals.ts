import { asId, type Id, newId, readId } from "../../src/core/ids";
import type { StepConfigs, StepType } from "../../src/core/workflows/step";
import type { Arrival, Scope } from "../../src/engine/workflows/steps/arrival";
import { storedId } from "./as-seen";

export interface TestStep<T extends StepType> {
  id: Id;
  type: T;
  name: string;
  config: StepConfigs[T];
  templateId: Id | null;
}

/** A step, as if it were in a workflow. Runs that come to it together are given the same one. */
export function newStep<T extends StepType>(type: T, config: StepConfigs[T], templateId?: string): TestStep<T> {
  return { id: newId(), type, name: type, config, templateId: templateId ? readId(templateId) : null };
}

export const testWorkflow = { id: newId(), name: "Welcome", linkBase: null };

/** A run of the contact with this id, which customers know, that has come to the step. */
export function arrivalAt<T extends StepType>(
  step: TestStep<T>,
  contactId: string,
  scope: Partial<Scope> = {},
): Arrival<T> {
  return {
    executionId: newId(),
    workflow: testWorkflow,
    contactId: asId(storedId(contactId)),
    // The type of a step says what its config is.
    step: step as unknown as Arrival<T>["step"],
    scope: { event: null, context: {}, steps: {}, ...scope },
    isPublic: false,
    causes: ["workflow-1"],
  };
}

export function eventOf(data: Scope["context"], fields: Partial<NonNullable<Scope["event"]>> = {}): Scope["event"] {
  return { id: newId(), name: "signup", source: "API", data, publicKeys: [], ...fields };
}
