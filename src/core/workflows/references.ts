import type { References } from "../audience/references";
import { definitionOf, type Graph } from "./step";
import type { Trigger } from "./trigger";

/** Returns the fields, events and segments that a workflow names in its trigger, waits, conditions and updates. */
export function workflowReferences(trigger: Trigger, { steps }: Graph): References {
  const named = [ofTrigger(trigger), ...steps.map(({ type, config }) => definitionOf(type).references?.(config) ?? {})];
  const all = (kind: keyof References) => [...new Set(named.flatMap((one) => one[kind] ?? []))].sort();
  return { fields: all("fields"), events: all("events"), segments: all("segments") };
}

/** Returns the events that the workflow's waits name. */
export function awaitedEvents({ steps }: Pick<Graph, "steps">): string[] {
  return [...new Set(steps.flatMap(({ type, config }) => definitionOf(type).wait?.(config).eventName ?? []))];
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
