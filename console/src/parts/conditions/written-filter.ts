import type { Filter } from "petrel-client";
import { hasValue, hasWindow, type Kind, nameAfter, type Operator, operatorsOf, specialKindOf } from "./operators";

export type Unit = NonNullable<Filter["unit"]>;

/** A filter as the form has it. */
interface Written {
  field: string;
  operator: Operator;
  typed: string;
  unit: Unit;
}

/** How the form names what a filter tests: events and segments may be written in a second way. */
export function placeOf(filter: Filter): string {
  const kind = specialKindOf(filter);
  if (kind === "event" && nameAfter("event", filter.field) === null) return `event.${filter.field}`;
  return kind === "segment" && filter.field === "segment" ? `segment.${filter.value}` : filter.field;
}

/** A filter as the form opens it. The form asks whether somebody gets a topic, so "is not" turns the value around. */
export function opened(filter: Filter): Written {
  const { operator, value, unit } = filter;
  const isTurned = specialKindOf(filter) === "topic" && operator === "notEquals" && typeof value === "boolean";
  return {
    field: placeOf(filter),
    operator: isTurned ? "equals" : operator,
    typed: value === undefined ? "" : `${isTurned ? !value : value}`,
    unit: unit ?? "days",
  };
}

/** The kind of a field. One that the lists do not have is taken as its filter has it. */
export function kindOf(field: string, listed: Kind | null, given: Filter | undefined): Kind {
  for (const kind of ["event", "segment", "topic"] as const) if (nameAfter(kind, field) !== null) return kind;
  if (listed !== null) return listed;
  if (given === undefined || placeOf(given) !== field) return "string";
  if (given.operator === "within" || given.operator === "olderThan") return "date";
  const type = typeof given.value;
  return type === "number" || type === "boolean" ? type : "string";
}

/** The filter that was written. One that was opened and left as it was stays the same, with the type of its value. */
export function writtenFilter(written: Written, kind: Kind, given: Filter | undefined): Filter {
  const { field, operator, typed, unit } = written;
  if (given !== undefined && isSame(written, opened(given))) return given;
  const value = hasValue(operator) ? { value: typedValue(kind, operator, typed) } : {};
  return { field, operator, ...value, ...(hasWindow(operator) && { unit }) };
}

/** The operators to choose from. A program may have written one that the form would not offer for this field. */
export function operatorsFor(field: string, kind: Kind, given: Filter | undefined): readonly Operator[] {
  const offered = operatorsOf[kind];
  const own = given && opened(given);
  return own?.field !== field || offered.includes(own.operator) ? offered : [own.operator, ...offered];
}

/** Whether the value has to be a number. */
export function isNumeric(kind: Kind, operator: Operator): boolean {
  return kind === "number" || hasWindow(operator);
}

function typedValue(kind: Kind, operator: Operator, typed: string): string | number | boolean {
  if (kind === "boolean" || kind === "topic") return typed !== "false";
  return isNumeric(kind, operator) ? Number(typed) : typed;
}

function isSame(one: Written, other: Written): boolean {
  const isUnit = !hasWindow(one.operator) || one.unit === other.unit;
  return one.field === other.field && one.operator === other.operator && one.typed === other.typed && isUnit;
}
