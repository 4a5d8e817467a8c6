import type { z } from "zod";
import type { FieldCode } from "../errors";
import { serviceEvent } from "../events/service-event";
import { publicId, readId } from "../ids";
import { isStorable, unstorableText } from "../storable";
import { dateMs, type TimeWindow, type Unit, units } from "./dates";
import { afterPrefix, topicOf } from "./fields";
import type { Scalar } from "./operand";
import {
  type EventOperator,
  type FieldOperator,
  isEventOperator,
  isSegmentOperator,
  type Operator,
  segmentOperators,
  takenBy,
} from "./operators";

/**
 * The longest names and values in characters, chosen so that a hundred of each fit into the single parameter of a
 * statement.
 */
export const maxFieldLength = 300;
const maxEventLength = 255;
const maxValueLength = 1000;

/** A filter as callers write it and rows store it. */
export interface Filter {
  field: string;
  operator: Operator;
  value?: Scalar;
  unit?: Unit;
}

/** A filter as it is evaluated. */
export type FilterTest =
  | { kind: "field"; field: string; operator: FieldOperator; value: Scalar | undefined; window: TimeWindow | null }
  | { kind: "topic"; slug: string; isIn: boolean }
  | { kind: "event"; name: string; operator: EventOperator; window: TimeWindow | null }
  | { kind: "segment"; id: string; isMember: boolean; namedIn: "field" | "value" };

/** Returns what a valid filter tests. Only this function determines the kind of a filter. */
export function parseFilter(filter: Filter): FilterTest {
  const { field, operator, value, unit } = filter;
  const window = unit === undefined ? null : { amount: Number(value), unit };
  if (isEventOperator(operator)) return { kind: "event", name: eventOf(field), operator, window };
  if (isSegmentOperator(operator)) {
    const id = segmentOf(filter);
    if (id === null) throw new Error(`The filter ${operator} names no segment`);
    const namedIn = field === "segment" ? "value" : "field";
    return { kind: "segment", id, isMember: segmentOperators[operator], namedIn };
  }
  const slug = topicOf(field);
  if (slug !== null) return { kind: "topic", slug, isIn: (operator === "equals") === value };
  return { kind: "field", field, operator, value, window };
}

const eventPrefix = "event.";
const segmentPrefix = "segment.";

/** Returns the event that the field of an event operator names: `purchase` for both `purchase` and `event.purchase`. */
function eventOf(field: string): string {
  return field.startsWith(eventPrefix) ? field.slice(eventPrefix.length) : field;
}

/**
 * Returns the segment of a membership filter: `segment.<id>`, or `segment` with the id as its value. Null when the
 * filter names none.
 */
function segmentOf({ field, value }: { field: string; value?: unknown }): string | null {
  const given = field === "segment" ? value : afterPrefix(field, segmentPrefix);
  // A UUID may be written in upper case, so it is normalized.
  return typeof given === "string" && given !== "" ? publicId(readId(given)) : null;
}

/** The fields that filters may use in one part of the API. */
export interface FieldNames {
  isField(name: string): boolean;
  /** The list of all fields, for messages to the caller. */
  listed: string;
}

interface SentFilter {
  field: string;
  operator: Operator;
  value?: unknown;
  unit?: Unit | null;
}

/** Reads a filter, and reports its faults. Parts that the operator does not take are dropped, as unknown keys are. */
export function readFilter(sent: SentFilter, names: FieldNames, check: z.RefinementCtx): Filter {
  for (const [key, code, message] of faultsOf(sent, names)) {
    check.addIssue({ code: "custom", path: [key], message, params: { code } });
  }
  const { field, operator, value, unit } = sent;
  const takes = takenBy(operator);
  const isValueTaken = takes !== "nothing" || (field === "segment" && isSegmentOperator(operator));
  return {
    field,
    operator,
    // The cast is safe: a value that is not a scalar was reported above, and the result is then discarded.
    ...(isValueTaken ? { value: value as Scalar } : {}),
    ...(takes === "window" && unit ? { unit } : {}),
  };
}

type FilterFault = [key: "field" | "operator" | "value" | "unit", code: FieldCode, message: string];

function faultsOf(sent: SentFilter, names: FieldNames): FilterFault[] {
  const { field, operator } = sent;
  if (isSegmentOperator(operator)) return segmentFaults(sent);
  if (isEventOperator(operator)) return [...eventFaults(sent), ...valueFaults(sent), ...unitFaults(sent)];
  const rest = topicOf(field) === null ? [...valueFaults(sent), ...unitFaults(sent)] : topicFaults(sent);
  return [...fieldFaults(field, names), ...rest];
}

function fieldFaults(field: string, { isField, listed }: FieldNames): FilterFault[] {
  return isField(field) ? [] : [["field", "custom", `Contacts have no such field: use ${listed}`]];
}

/** Finds the faults of a filter on a topic. The value of such a filter must be true or false. */
function topicFaults({ operator, value }: SentFilter): FilterFault[] {
  if (operator !== "equals" && operator !== "notEquals") {
    return [["operator", "custom", `A topic takes equals or notEquals, not ${operator}`]];
  }
  if (value === undefined || value === null) return [["value", "required", `${operator} needs a value: true or false`]];
  return typeof value === "boolean"
    ? []
    : [["value", "invalid_type", "Must be true or false: whether contacts get the topic's mail"]];
}

function eventFaults({ field, operator }: SentFilter): FilterFault[] {
  const name = eventOf(field);
  const { length } = name;
  if (serviceEvent(name)?.hasNoContact) {
    return [["field", "custom", `${name} belongs to no contact, so no filter can use it`]];
  }
  if (length === 0) return [["field", "too_small", `${operator} takes the name of an event as its field`]];
  return length > maxEventLength
    ? [["field", "too_big", `An event's name may have at most ${maxEventLength} characters`]]
    : [];
}

function segmentFaults(sent: SentFilter): FilterFault[] {
  const id = segmentOf(sent);
  if (id !== null) return textFaults(id);
  if (sent.field === "segment") {
    return [["value", "required", "Send the segment's id here, or use segment.<id> as the field"]];
  }
  return [["field", "custom", `${sent.operator} takes segment.<id> as its field`]];
}

function valueFaults({ field, operator, value }: SentFilter): FilterFault[] {
  const takes = takenBy(operator);
  if (takes === "nothing") return [];
  if (value === undefined || value === null) return [["value", "required", `${operator} needs a value`]];
  if (typeof value === "number" && !Number.isFinite(value)) return [["value", "too_big", "Must be a finite number"]];
  if (takes === "window") {
    if (typeof value !== "number") return [["value", "invalid_type", "Must be a number of units"]];
    return value > 0 ? [] : [["value", "too_small", "Must be more than 0"]];
  }
  if (takes === "sortable") {
    if (typeof value === "number" || (typeof value === "string" && dateMs(value) !== null)) return [];
    return [["value", "invalid_type", "Must be a number, or a date such as 2026-01-31 or 2026-01-31T09:00:00Z"]];
  }
  if (typeof value === "string") return textFaults(value);
  if (field === "email" && (operator === "contains" || operator === "notContains")) {
    return [["value", "invalid_type", "Must be a string: a part of the address"]];
  }
  const isScalar = typeof value === "number" || typeof value === "boolean";
  return isScalar ? [] : [["value", "invalid_type", "Must be a string, a number or a boolean"]];
}

function textFaults(text: string): FilterFault[] {
  if (!isStorable(text)) return [["value", "invalid_string", unstorableText]];
  return text.length > maxValueLength ? [["value", "too_big", `At most ${maxValueLength} characters`]] : [];
}

function unitFaults({ operator, unit }: SentFilter): FilterFault[] {
  const isMissing = takenBy(operator) === "window" && (unit === undefined || unit === null);
  return isMissing ? [["unit", "required", `${operator} needs a unit: ${units.join(", ")}`]] : [];
}
