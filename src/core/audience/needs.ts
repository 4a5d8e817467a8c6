import { normalizeEmail } from "../mail/address";
import type { FilterCondition } from "./condition";
import { windowStartMs } from "./dates";
import { eventOf, segmentOf } from "./fields";
import type { Filter } from "./filter";
import { type EventOperator, isEventOperator, isSegmentOperator, segmentOperators } from "./operators";
import type { SegmentSource } from "./resolver";

/** A property that every match must have: an event (since `fromMs`, if given), a membership, or an address. */
export type Need = { event: string; fromMs: number | null } | { memberOf: string } | { email: string };

/** Returns the needs of a whole condition. A scan can skip every contact that lacks one of them. */
export function needsOf(condition: FilterCondition, segments: (id: string) => SegmentSource, now: Date): Need[] {
  const { logic, groups } = condition;
  // None of several alternatives is required on its own.
  if (logic === "OR" && groups.length > 1) return [];
  return groups.flatMap(({ filters, conditions }) => [
    ...filters.flatMap((filter) => needsOfFilter(filter, segments, now)),
    ...(conditions ? needsOf(conditions, segments, now) : []),
  ]);
}

function needsOfFilter(filter: Filter, segments: (id: string) => SegmentSource, now: Date): Need[] {
  const { field, operator, value, unit } = filter;
  if (isEventOperator(operator)) {
    const since = needsEvent[operator];
    if (since === "no") return [];
    const fromMs = since === "window" && unit ? windowStartMs(now, Number(value), unit) : null;
    return [{ event: eventOf(field), fromMs }];
  }
  if (field === "email" && operator === "equals") {
    const email = typeof value === "string" ? normalizeEmail(value) : null;
    return email === null ? [] : [{ email }];
  }
  if (!isSegmentOperator(operator) || !segmentOperators[operator]) return [];
  const id = segmentOf(filter) ?? "";
  const source = segments(id);
  return source === "members" ? [{ memberOf: id }] : needsOf(source, segments, now);
}

/** Whether an operator holds only for contacts with the event, and since when. */
const needsEvent: Record<EventOperator, "ever" | "window" | "no"> = {
  triggered: "ever",
  triggeredWithin: "window",
  triggeredOlderThan: "ever",
  notTriggered: "no",
  notTriggeredWithin: "no",
};
