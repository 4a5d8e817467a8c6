import { normalizeEmail } from "../mail/address";
import type { FilterCondition } from "./condition";
import { windowStartMs } from "./dates";
import { type FilterTest, parseFilter } from "./filter";
import type { EventOperator } from "./operators";
import type { SegmentSource } from "./resolver";

/** A property that every matching contact has: an event (since `fromMs`, if given), a membership, or an address. */
export type Need = { event: string; fromMs: number | null } | { memberOf: string } | { email: string };

/** Returns the needs of a whole condition. A scan can skip every contact that lacks one of them. */
export function needsOf(condition: FilterCondition, segments: (id: string) => SegmentSource, now: Date): Need[] {
  const { logic, groups } = condition;
  // When there are several alternatives, none of them is required on its own.
  if (logic === "OR" && groups.length > 1) return [];
  return groups.flatMap(({ filters, conditions }) => [
    ...filters.flatMap((filter) => needsOfTest(parseFilter(filter), segments, now)),
    ...(conditions ? needsOf(conditions, segments, now) : []),
  ]);
}

function needsOfTest(test: FilterTest, segments: (id: string) => SegmentSource, now: Date): Need[] {
  switch (test.kind) {
    case "field": {
      if (test.field !== "email" || test.operator !== "equals") return [];
      const email = typeof test.value === "string" ? normalizeEmail(test.value) : null;
      return email === null ? [] : [{ email }];
    }
    case "topic":
      return [];
    case "event": {
      const since = needsEvent[test.operator];
      if (since === "no") return [];
      const fromMs = since === "window" && test.window ? windowStartMs(now, test.window) : null;
      return [{ event: test.name, fromMs }];
    }
    case "segment": {
      if (!test.isMember) return [];
      const source = segments(test.id);
      return source === "members" ? [{ memberOf: test.id }] : needsOf(source, segments, now);
    }
  }
}

/**
 * When a contact must have had the event in order to match: `ever` for any time, `window` for the window of the filter,
 * `no` when the event is not necessary.
 */
const needsEvent: Record<EventOperator, "ever" | "window" | "no"> = {
  triggered: "ever",
  triggeredWithin: "window",
  triggeredOlderThan: "ever",
  notTriggered: "no",
  notTriggeredWithin: "no",
};
