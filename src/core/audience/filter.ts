import type { z } from "zod";
import type { FieldCode } from "../errors";
import { isStorable, unstorableText } from "../storable";
import { dateMs, type Unit, units } from "./dates";
import { eventOf, segmentOf, topicOf } from "./fields";
import type { Scalar } from "./operand";
import { isEventOperator, isFieldOperator, isSegmentOperator, type Operator, takenBy } from "./operators";

/** The limit at which a hundred fields and values fit into the single parameter of a statement. */
export const maxFieldLength = 300;
const maxEventLength = 255;
const maxValueLength = 1000;

export interface Filter {
  field: string;
  operator: Operator;
  value?: Scalar;
  unit?: Unit;
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

/** Drops parts that the operator does not take, just as unknown keys are dropped. */
export function readFilter(sent: SentFilter, names: FieldNames, check: z.RefinementCtx): Filter {
  const faults = [fieldFault(sent, names), ...restFaults(sent)].filter((fault) => fault !== null);
  for (const [key, code, message] of faults) {
    check.addIssue({ code: "custom", path: [key], message, params: { code } });
  }
  const { field, operator, value, unit } = sent;
  const takes = takenBy(operator);
  const isValueTaken = takes !== "nothing" || (field === "segment" && isSegmentOperator(operator));
  return {
    field,
    operator,
    // A value that is not a scalar is a fault above, and the result is then discarded.
    ...(isValueTaken ? { value: value as Scalar } : {}),
    ...(takes === "window" && unit ? { unit } : {}),
  };
}

/**
 * Finds faults of the value and the unit. `topic.<slug>` is true or false for every contact. As the field of an event
 * operator, it is the name of an event.
 */
function restFaults(sent: SentFilter): (FilterFault | null)[] {
  const { field, operator, value } = sent;
  if (topicOf(field) === null || !isFieldOperator(operator)) return [valueFault(sent), unitFault(sent)];
  if (operator !== "equals" && operator !== "notEquals") {
    return [["operator", "custom", `A topic takes equals or notEquals, not ${operator}`]];
  }
  if (value === undefined || value === null) return [["value", "required", `${operator} needs a value: true or false`]];
  return typeof value === "boolean"
    ? []
    : [["value", "invalid_type", "Must be true or false: who gets the topic's mail"]];
}

type FilterFault = [key: "field" | "operator" | "value" | "unit", code: FieldCode, message: string];

function fieldFault(sent: SentFilter, { isField, listed }: FieldNames): FilterFault | null {
  const { field, operator } = sent;
  if (isFieldOperator(operator)) {
    return isField(field) ? null : ["field", "custom", `Contacts have no such field: use ${listed}`];
  }
  if (isEventOperator(operator)) {
    const { length } = eventOf(field);
    if (length === 0) return ["field", "too_small", `${operator} takes the name of an event as its field`];
    return length > maxEventLength
      ? ["field", "too_big", `An event's name may have at most ${maxEventLength} characters`]
      : null;
  }
  const segmentId = segmentOf(sent);
  if (segmentId !== null) return textFault(segmentId);
  if (field === "segment") return ["value", "required", "Send the segment's id here, or use segment.<id> as the field"];
  return ["field", "custom", `${operator} takes segment.<id> as its field`];
}

function valueFault({ field, operator, value }: SentFilter): FilterFault | null {
  const takes = takenBy(operator);
  if (takes === "nothing") return null;
  if (value === undefined || value === null) return ["value", "required", `${operator} needs a value`];
  if (typeof value === "number" && !Number.isFinite(value)) return ["value", "too_big", "Must be a finite number"];
  if (takes === "window") {
    if (typeof value !== "number") return ["value", "invalid_type", "Must be a number: how many of the unit"];
    return value > 0 ? null : ["value", "too_small", "Must be more than 0"];
  }
  if (takes === "sortable") {
    if (typeof value === "number" || (typeof value === "string" && dateMs(value) !== null)) return null;
    return ["value", "invalid_type", "Must be a number, or a date such as 2026-01-31 or 2026-01-31T09:00:00Z"];
  }
  if (typeof value === "string") return textFault(value);
  if (field === "email" && (operator === "contains" || operator === "notContains")) {
    return ["value", "invalid_type", "Must be a string: a part of the address"];
  }
  const isScalar = typeof value === "number" || typeof value === "boolean";
  return isScalar ? null : ["value", "invalid_type", "Must be a string, a number or a boolean"];
}

function textFault(text: string): FilterFault | null {
  if (!isStorable(text)) return ["value", "invalid_string", unstorableText];
  return text.length > maxValueLength ? ["value", "too_big", `At most ${maxValueLength} characters`] : null;
}

function unitFault({ operator, unit }: SentFilter): FilterFault | null {
  const isMissing = takenBy(operator) === "window" && (unit === undefined || unit === null);
  return isMissing ? ["unit", "required", `${operator} needs a unit: ${units.join(", ")}`] : null;
}
