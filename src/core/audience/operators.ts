import { type SQL, sql } from "drizzle-orm";
import { dayMs } from "../time";
import { dateMs, dayStartMs } from "./dates";
import type { Bind, Operand, Scalar } from "./operand";

/** The input of an operator, in addition to its field. */
export interface OperatorInput {
  /** The filter's value. For a window, its length in units. */
  value: Scalar | undefined;
  /** The start of the window, in milliseconds since 1970. The window ends now. */
  from: number;
  now: number;
  bind: Bind;
}

/**
 * Tests whether the contact has an event of the filter's name. If `from` is given, only events at that time or later
 * count.
 */
export type HasEvent = (from?: number) => SQL;

/** The kind of value that a filter takes: none, one to match, one to compare, or a window of time. */
type Takes = "nothing" | "scalar" | "sortable" | "window";

interface OperatorRule<Test> {
  takes: Takes;
  /** Evaluates to 1 or 0, never NULL. */
  test: Test;
}

/** Operators on a field of the contact. */
export const fieldOperators = {
  equals: { takes: "scalar", test: equals },
  notEquals: { takes: "scalar", test: notEquals },
  contains: { takes: "scalar", test: contains },
  notContains: { takes: "scalar", test: notContains },
  greaterThan: { takes: "sortable", test: compared(sql`>`) },
  lessThan: { takes: "sortable", test: compared(sql`<`) },
  greaterThanOrEqual: { takes: "sortable", test: compared(sql`>=`) },
  lessThanOrEqual: { takes: "sortable", test: compared(sql`<=`) },
  exists: { takes: "nothing", test: exists },
  notExists: { takes: "nothing", test: notExists },
  within: { takes: "window", test: within },
  olderThan: { takes: "window", test: olderThan },
} satisfies Record<string, OperatorRule<(operand: Operand, input: OperatorInput) => SQL>>;

interface EventRule extends OperatorRule<(hasEvent: HasEvent, input: OperatorInput) => SQL> {
  /**
   * When a contact must have had the event in order to match: `ever` for any time, `window` for the window of the
   * filter, `no` when the event is not necessary.
   */
  needs: "ever" | "window" | "no";
}

/** Operators on the contact's events. */
export const eventOperators = {
  triggered: { takes: "nothing", needs: "ever", test: triggered },
  triggeredWithin: { takes: "window", needs: "window", test: triggeredWithin },
  triggeredOlderThan: { takes: "window", needs: "ever", test: triggeredOlderThan },
  notTriggered: { takes: "nothing", needs: "no", test: notTriggered },
  notTriggeredWithin: { takes: "window", needs: "no", test: notTriggeredWithin },
} satisfies Record<string, EventRule>;

/** Operators on membership in a segment: true when the operator matches members, false when it matches all others. */
export const segmentOperators = { memberOfSegment: true, notMemberOfSegment: false } satisfies Record<string, boolean>;

export type FieldOperator = keyof typeof fieldOperators;
export type EventOperator = keyof typeof eventOperators;
export type SegmentOperator = keyof typeof segmentOperators;
export type Operator = FieldOperator | EventOperator | SegmentOperator;

export const operators = [fieldOperators, eventOperators, segmentOperators].flatMap(
  // The cast is needed because Object.keys does not return the literal types of the keys.
  (family) => Object.keys(family) as Operator[],
);

function isFieldOperator(operator: Operator): operator is FieldOperator {
  return Object.hasOwn(fieldOperators, operator);
}

export function isEventOperator(operator: Operator): operator is EventOperator {
  return Object.hasOwn(eventOperators, operator);
}

export function isSegmentOperator(operator: Operator): operator is SegmentOperator {
  return Object.hasOwn(segmentOperators, operator);
}

/** Returns the kind of value that an operator takes, apart from the segment of a membership filter. */
export function takenBy(operator: Operator): Takes {
  if (isFieldOperator(operator)) return fieldOperators[operator].takes;
  return isEventOperator(operator) ? eventOperators[operator].takes : "nothing";
}

/** Turns NULL into false. A test is NULL when the field is absent or of another type. */
function yes(condition: SQL): SQL {
  return sql`(${condition} IS TRUE)`;
}

function both(one: SQL, other: SQL): SQL {
  return sql`(${one} AND ${other})`;
}

function not(condition: SQL): SQL {
  return sql`(NOT ${condition})`;
}

function equals(operand: Operand, { value, bind }: OperatorInput): SQL {
  const wanted = given(value);
  const day = typeof wanted === "string" ? dayStartMs(wanted) : null;
  return yes(day === null ? operand.equals(wanted) : isBetween(operand, day, day + dayMs - 1, bind));
}

/** Does not match a contact without the field. A value of another type counts as different. */
function notEquals(operand: Operand, input: OperatorInput): SQL {
  return both(exists(operand), not(equals(operand, input)));
}

function contains(operand: Operand, { value }: OperatorInput): SQL {
  return yes(operand.contains(given(value)));
}

function notContains(operand: Operand, input: OperatorInput): SQL {
  return both(exists(operand), not(contains(operand, input)));
}

function compared(sign: SQL): (operand: Operand, input: OperatorInput) => SQL {
  return (operand, { value, bind }) => {
    if (typeof value === "number") return yes(operand.compares(sign, value));
    return yes(sql`(${operand.time} ${sign} ${bind(given(dateMs(String(value))))})`);
  };
}

function exists(operand: Operand): SQL {
  return yes(operand.exists);
}

function notExists(operand: Operand): SQL {
  return not(exists(operand));
}

/** Does not match a time in the future. */
function within(operand: Operand, { from, now, bind }: OperatorInput): SQL {
  return yes(isBetween(operand, from, now, bind));
}

function olderThan(operand: Operand, { from, bind }: OperatorInput): SQL {
  return yes(sql`(${operand.time} < ${bind(from)})`);
}

function triggered(hasEvent: HasEvent): SQL {
  return hasEvent();
}

function triggeredWithin(hasEvent: HasEvent, { from }: OperatorInput): SQL {
  return hasEvent(from);
}

/** Matches when the event happened, but not within the window. */
function triggeredOlderThan(hasEvent: HasEvent, { from }: OperatorInput): SQL {
  return both(hasEvent(), not(hasEvent(from)));
}

function notTriggered(hasEvent: HasEvent): SQL {
  return not(hasEvent());
}

/** Matches when the event did not happen within the window, or never happened. */
function notTriggeredWithin(hasEvent: HasEvent, { from }: OperatorInput): SQL {
  return not(hasEvent(from));
}

function isBetween(operand: Operand, first: number, last: number, bind: Bind): SQL {
  return sql`(${operand.time} BETWEEN ${bind(first)} AND ${bind(last)})`;
}

function given<T>(value: T | undefined | null): T {
  if (value === undefined || value === null) throw new Error("A filter without the value that its operator takes");
  return value;
}
