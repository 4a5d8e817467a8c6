import { serviceEventsThat } from "../events/service-event";
import { definitionOf, type Step, type StepType, stepTypes } from "./step";

/** Returns the events that a step may cause. */
export function causedEvents({ type, config }: Pick<Step, "type" | "config">): readonly string[] {
  const { causes } = definitionOf(type);
  return causes ? causedBy(type, causes.key === null ? null : Reflect.get(config, causes.key)) : [];
}

/**
 * Returns the events that a step of this type may cause. They may depend on one key of the step's config, whose value
 * is `value`.
 */
export function causedBy(type: StepType, value: unknown): readonly string[] {
  const { causes } = definitionOf(type);
  if (!causes || (causes.key !== null && (value === undefined || value === null))) return [];
  return causes.events(value);
}

/**
 * The types of step that may cause events, each with the key of its config that determines the events; null if the
 * events are always the same.
 */
export const causingKeys: Partial<Record<StepType, string | null>> = Object.fromEntries(
  stepTypes.flatMap((type) => {
    const { causes } = definitionOf(type);
    return causes ? [[type, causes.key]] : [];
  }),
);

/** All events that a step of any type may cause. */
export const causable: readonly string[] = serviceEventsThat(({ causedBy }) => causedBy);

/** Another enabled workflow: the event that starts it, and the events that its steps may cause. */
export interface CausingWorkflow {
  name: string;
  eventName: string;
  causes: readonly string[];
}

/**
 * Finds the shortest path from the events that a step causes to the event `eventName`. Returns the names of the
 * workflows on that path; null if there is none.
 */
export function pathTo(
  eventName: string,
  from: readonly string[],
  others: readonly CausingWorkflow[],
): string[] | null {
  const paths = from.map((event) => ({ event, through: [] as string[] }));
  const seen = new Set(from);
  // The loop appends to the list that it iterates over.
  for (const { event, through } of paths) {
    for (const other of others.filter((one) => one.eventName === event)) {
      const next = [...through, other.name];
      if (other.causes.includes(eventName)) return next;
      for (const caused of other.causes) {
        if (!seen.has(caused)) paths.push({ event: caused, through: next });
        seen.add(caused);
      }
    }
  }
  return null;
}
