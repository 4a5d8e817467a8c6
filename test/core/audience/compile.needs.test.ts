import { expect, it } from "vitest";
import { compile, type Need } from "../../../src/core/audience/compile";
import { FilterCondition, type SegmentSource } from "../../../src/core/audience/condition";
import { contactResolver } from "../../../src/db/audience";

const now = new Date("2026-02-01T12:00:00.000Z");
const dayMs = 86_400_000;
const purchase = { event: "purchase", fromMs: null };
const data = { field: "data.plan", operator: "equals", value: "pro" };
const triggered = { field: "event.purchase", operator: "triggered" };
const lately = { field: "login", operator: "triggeredWithin", value: 2, unit: "days" };
const inList = { field: "segment.list", operator: "memberOfSegment" };

const and = (...filters: unknown[]) => ({ logic: "AND", groups: [{ filters }] });
const or = (...conditions: unknown[]) => ({
  logic: "OR",
  groups: conditions.map((condition) => ({ filters: [], conditions: condition })),
});

const segments = new Map<string, SegmentSource>([
  ["list", "members"],
  ["buyers", FilterCondition.parse(and(triggered))],
]);

it.each<[what: string, condition: unknown, needs: Need[]]>([
  ["nothing, of data alone", and(data), []],
  ["an event that was triggered", and(data, triggered), [purchase]],
  ["one within a window, from its beginning", and(lately), [{ event: "login", fromMs: now.getTime() - 2 * dayMs }]],
  [
    "one that lies longer back, at any time",
    and({ field: "purchase", operator: "triggeredOlderThan", value: 2, unit: "days" }),
    [purchase],
  ],
  ["membership by rows", and({ field: "segment", operator: "memberOfSegment", value: "list" }), [{ memberOf: "list" }]],
  ["what a segment needs that is asked by its condition", and({ ...inList, field: "segment.buyers" }), [purchase]],
  [
    "an address, as it is stored",
    and({ field: "email", operator: "equals", value: " Ada@Example.com " }),
    [{ email: "ada@example.com" }],
  ],
  ["no address that is none", and({ field: "email", operator: "equals", value: "ada" }), []],
  ["no part of an address", and({ field: "email", operator: "contains", value: "ada@example.com" }), []],
  [
    "nothing that is not to be",
    and(
      { field: "purchase", operator: "notTriggered" },
      { field: "purchase", operator: "notTriggeredWithin", value: 1, unit: "days" },
      { ...inList, operator: "notMemberOfSegment" },
    ),
    [],
  ],
  ["nothing, of alternatives", or(and(triggered), and(lately)), []],
  ["what is in an OR that has no alternative", or(and(triggered)), [purchase]],
  [
    "all that is ANDed, however deep",
    {
      logic: "AND",
      groups: [
        { filters: [data], conditions: and(inList) },
        { filters: [triggered], conditions: or(and(data), and(lately)) },
      ],
    },
    [{ memberOf: "list" }, purchase],
  ],
])("needs %s", (_, condition, needs) => {
  expect(compile(FilterCondition.parse(condition), contactResolver(segments), now).needs).toEqual(needs);
});
