import { type References, referencesOf } from "../audience/references";
import { inSegmentTerms, wholeCondition } from "./branches";
import { rootOf } from "./run-fields";
import type { Graph, Step } from "./step";
import type { Trigger } from "./trigger";

/** Returns the fields, events and segments that a workflow names in its trigger, waits, conditions and updates. */
export function workflowReferences(trigger: Trigger, { steps }: Graph): References {
  const named = [ofTrigger(trigger), ...steps.map(ofStep)];
  const all = (kind: keyof References) => [...new Set(named.flatMap((one) => one[kind] ?? []))].sort();
  return { fields: all("fields"), events: all("events"), segments: all("segments") };
}

/** Returns the events that the workflow's waits name. */
export function awaitedEvents({ steps }: Pick<Graph, "steps">): string[] {
  return [...new Set(steps.flatMap((step) => (step.type === "WAIT_FOR_EVENT" ? [step.config.eventName] : [])))];
}

function ofTrigger({ triggerType, triggerConfig }: Trigger): Partial<References> {
  switch (triggerType) {
    case "EVENT":
      return triggerConfig.eventName === null ? {} : { events: [triggerConfig.eventName] };
    case "SCHEDULE":
      return { segments: [triggerConfig.segmentId] };
    case "MANUAL":
      return {};
  }
}

function ofStep(step: Step): Partial<References> {
  if (step.type === "WAIT_FOR_EVENT") return { events: [step.config.eventName] };
  if (step.type === "UPDATE_CONTACT")
    return { fields: Object.keys(step.config.data ?? {}).map((key) => `data.${key}`) };
  if (step.type !== "CONDITION") return {};
  const { fields, ...rest } = referencesOf(inSegmentTerms(wholeCondition(step.config)));
  // Values of the execution, such as `event.plan`, are not fields of contacts.
  return { ...rest, fields: fields.filter((field) => rootOf(field) === null) };
}
