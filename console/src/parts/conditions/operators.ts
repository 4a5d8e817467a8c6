import type { FieldList, Filter } from "petrel-client";

export type Operator = Filter["operator"];
/** The subject of a filter: a field of some type, an event, membership in a segment, or a topic. */
export type Kind = FieldList["fields"][number]["type"] | "event" | "segment" | "topic";

/** The operators for each kind, with the most common one first. */
export const operatorsOf: Record<Kind, readonly Operator[]> = {
  string: ["equals", "notEquals", "contains", "notContains", "exists", "notExists"],
  number: [
    ...(["equals", "notEquals", "greaterThan", "greaterThanOrEqual", "lessThan", "lessThanOrEqual"] as const),
    ...(["exists", "notExists"] as const),
  ],
  boolean: ["equals", "exists", "notExists"],
  date: ["within", "olderThan", "exists", "notExists"],
  event: ["triggered", "triggeredWithin", "triggeredOlderThan", "notTriggered", "notTriggeredWithin"],
  segment: ["memberOfSegment", "notMemberOfSegment"],
  topic: ["equals"],
};

const withoutValue: readonly Operator[] = [
  ...(["exists", "notExists", "triggered", "notTriggered", "memberOfSegment", "notMemberOfSegment"] as const),
];
const withWindow: readonly Operator[] = [
  ...(["within", "olderThan", "triggeredWithin", "triggeredOlderThan", "notTriggeredWithin"] as const),
];

export function hasValue(operator: Operator): boolean {
  return !withoutValue.includes(operator);
}

/** Whether the value is a number of days, hours or minutes. */
export function hasWindow(operator: Operator): boolean {
  return withWindow.includes(operator);
}

/** Returns the part of a field's name after the prefix of its kind; null for a field of another kind. */
export function nameAfter(prefix: "data" | "event" | "segment" | "topic", field: string): string | null {
  return field.startsWith(`${prefix}.`) ? field.slice(prefix.length + 1) : null;
}

/** Returns the subject of a filter, as far as its operator and field name determine it; null for fields of contacts. */
export function specialKindOf({ field, operator }: Pick<Filter, "field" | "operator">): Kind | null {
  if (operatorsOf.event.includes(operator)) return "event";
  if (operatorsOf.segment.includes(operator)) return "segment";
  return nameAfter("topic", field) === null ? null : "topic";
}
