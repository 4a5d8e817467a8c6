import type { Filter } from "petrel-client";
import { hasValue, hasWindow, type Kind, nameAfter, type Operator, operatorsOf, specialKindOf } from "./operators";

export type Unit = NonNullable<Filter["unit"]>;

/** A filter in the form's own fields. */
interface Written {
  field: string;
  operator: Operator;
  typed: string;
  unit: Unit;
}

/** Returns the form's name for the subject of a filter, because events and segments may be written in a second way. */
export function placeOf(filter: Filter): string {
  const kind = specialKindOf(filter);
  if (kind === "event" && nameAfter("event", filter.field) === null) return `event.${filter.field}`;
  return kind === "segment" && filter.field === "segment" ? `segment.${filter.value}` : filter.field;
}

/**
 * Returns a filter as the form opens it. The form asks whether a person gets a topic, so "is not" inverts the value.
 */
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

/** Returns the kind of a field. A field that is in no list has the kind that its filter implies. */
export function kindOf(field: string, listed: Kind | null, given: Filter | undefined): Kind {
  for (const kind of ["event", "segment", "topic"] as const) if (nameAfter(kind, field) !== null) return kind;
  if (listed !== null) return listed;
  if (given === undefined || placeOf(given) !== field) return "string";
  if (given.operator === "within" || given.operator === "olderThan") return "date";
  const type = typeof given.value;
  return type === "number" || type === "boolean" ? type : "string";
}

/**
 * Returns the filter that was entered. A filter that was opened and not changed stays the same, including the type of
 * its value.
 */
export function writtenFilter(written: Written, kind: Kind, given: Filter | undefined): Filter {
  const { field, operator, typed, unit } = written;
  if (given !== undefined && isSame(written, opened(given))) return given;
  const value = hasValue(operator) ? { value: typedValue(kind, operator, typed) } : {};
  return { field, operator, ...value, ...(hasWindow(operator) && { unit }) };
}

/**
 * Returns the operators to choose from. They include the current one, because a program may have written an operator
 * that the form does not offer for this field.
 */
export function operatorsFor(field: string, kind: Kind, given: Filter | undefined): readonly Operator[] {
  const offered = operatorsOf[kind];
  const own = given && opened(given);
  return own?.field !== field || offered.includes(own.operator) ? offered : [own.operator, ...offered];
}

/** Whether the value must be a number. */
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
