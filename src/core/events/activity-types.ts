import { type ServiceEventName, serviceEvent, serviceEventsThat } from "./service-event";

/** Types of events whose names differ from project to project. */
const groupTypes = ["event.triggered", "segment.entry", "segment.exit"] as const;

/** The types of activities. The name of an event determines its type. */
export const activityTypes: readonly ActivityType[] = [...serviceEventsThat(() => true), ...groupTypes];
export type ActivityType = ServiceEventName | (typeof groupTypes)[number];

const segmentEvent = /^segment\.(.+)\.(entry|exit)$/;

/**
 * Returns the type of an event. An event that the service does not record itself was tracked by a caller:
 * `event.triggered`.
 */
export function activityTypeOf(name: string): ActivityType {
  if (isOwnType(name)) return name;
  const [, , move] = segmentEvent.exec(name) ?? [];
  if (move === "entry") return "segment.entry";
  return move === "exit" ? "segment.exit" : "event.triggered";
}

/** Returns the slug in the name of a segment's event; null for any other name. */
export function segmentOfEvent(name: string): string | null {
  return segmentEvent.exec(name)?.[1] ?? null;
}

function isOwnType(name: string): name is ServiceEventName {
  return serviceEvent(name) !== undefined;
}

/** The names of events of some types. */
export interface NamesOfTypes {
  exact: string[];
  /** GLOB patterns. */
  patterns: string[];
  /** Whether the names of the callers' own events are included: all names that no other type has. */
  areCallers: boolean;
}

export function namesOfTypes(types: readonly ActivityType[]): NamesOfTypes {
  return {
    exact: types.filter(isOwnType),
    patterns: types.flatMap((type) => patterns[type as keyof typeof patterns] ?? []),
    areCallers: types.includes("event.triggered"),
  };
}

const patterns = { "segment.entry": "segment.?*.entry", "segment.exit": "segment.?*.exit" };

/** The names of all types except `event.triggered`. */
export const namesOfService: NamesOfTypes = namesOfTypes(activityTypes.filter((type) => type !== "event.triggered"));
