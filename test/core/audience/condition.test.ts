import { createRoute, OpenAPIHono } from "@hono/zod-openapi";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { FilterCondition, maxDepth, maxFilters } from "../../../src/core/audience/condition";
import { operators } from "../../../src/core/audience/operators";
import { faultsOf } from "../../../src/core/faults";

const Body = z.object({ condition: FilterCondition });

/** What is wrong with a condition, as a caller is told: `path code`. */
function faults(condition: unknown): string[] {
  const parsed = Body.safeParse({ condition });
  return parsed.success ? [] : faultsOf(parsed.error, { condition }).map(({ field, code }) => `${field} ${code}`);
}

const of = (...filters: unknown[]) => ({ logic: "AND", groups: [{ filters }] });
const isPro = { field: "data.plan", operator: "equals", value: "pro" };

/** So many conditions in one another, with one filter in the innermost. */
function nested(depth: number): unknown {
  let condition: unknown = of(isPro);
  for (let i = 1; i < depth; i++) condition = { logic: "OR", groups: [{ filters: [], conditions: condition }] };
  return condition;
}

describe("a filter", () => {
  const at = "condition.groups.0.filters.0";

  it.each<[filter: unknown, faults: string[]]>([
    [{}, [`${at}.field required`, `${at}.operator required`]],
    ["data.plan", [`${at} invalid_type`]],
    [null, [`${at} invalid_type`]],
    [{ ...isPro, field: 1 }, [`${at}.field invalid_type`]],
    [{ ...isPro, field: `data.${"x".repeat(296)}` }, [`${at}.field too_big`]],
    [{ ...isPro, field: "data.a\0b" }, [`${at}.field invalid_string`]],
    [{ ...isPro, field: "data.\ud800" }, [`${at}.field invalid_string`]],
    ...["", "password", "plan", "data", "data.", "event.purchase", "segment.s1", "Email", "id", "snoozedUntil"].map(
      (field): [unknown, string[]] => [{ ...isPro, field }, [`${at}.field custom`]],
    ),
    ...["webhook.disabled", "event.webhook.disabled"].map((field): [unknown, string[]] => [
      { field, operator: "notTriggered" },
      [`${at}.field custom`],
    ]),
    [{ ...isPro, operator: "is" }, [`${at}.operator invalid_enum_value`]],
    [{ ...isPro, operator: "toString" }, [`${at}.operator invalid_enum_value`]],
    [{ ...isPro, operator: 1 }, [`${at}.operator invalid_enum_value`]],
    ...["equals", "notEquals", "contains", "notContains", "greaterThan", "lessThanOrEqual", "within"].flatMap(
      (operator): [unknown, string[]][] => [
        [{ field: "data.x", operator, unit: "days" }, [`${at}.value required`]],
        [{ field: "data.x", operator, value: null, unit: "days" }, [`${at}.value required`]],
      ],
    ),
    [{ ...isPro, value: ["pro"] }, [`${at}.value invalid_type`]],
    [{ ...isPro, value: { a: 1 } }, [`${at}.value invalid_type`]],
    [{ ...isPro, value: "a\0b" }, [`${at}.value invalid_string`]],
    [{ ...isPro, value: "\udc00" }, [`${at}.value invalid_string`]],
    [{ ...isPro, value: "x".repeat(1001) }, [`${at}.value too_big`]],
    [{ ...isPro, value: Number.POSITIVE_INFINITY }, [`${at}.value too_big`]],
    [{ field: "email", operator: "contains", value: 42 }, [`${at}.value invalid_type`]],
    [{ field: "email", operator: "notContains", value: true }, [`${at}.value invalid_type`]],
    ...["pro", "42", "", "2026-13-01", "2026-1-1", "2026-01-31T09:00:00", "now", true, [1], { a: 1 }].map(
      (value): [unknown, string[]] => [
        { field: "data.x", operator: "greaterThan", value },
        [`${at}.value invalid_type`],
      ],
    ),
    [{ field: "data.x", operator: "lessThan", value: Number.NEGATIVE_INFINITY }, [`${at}.value too_big`]],
    [{ field: "data.x", operator: "within", value: 0, unit: "days" }, [`${at}.value too_small`]],
    [{ field: "data.x", operator: "within", value: -1, unit: "days" }, [`${at}.value too_small`]],
    [{ field: "data.x", operator: "within", value: "7", unit: "days" }, [`${at}.value invalid_type`]],
    [{ field: "data.x", operator: "within", value: 1 / 0, unit: "days" }, [`${at}.value too_big`]],
    [{ field: "data.x", operator: "within", value: 7 }, [`${at}.unit required`]],
    [{ field: "data.x", operator: "olderThan", value: 7, unit: null }, [`${at}.unit required`]],
    [{ field: "data.x", operator: "olderThan", value: 7, unit: "weeks" }, [`${at}.unit invalid_enum_value`]],
    [{ field: "purchase", operator: "triggeredWithin" }, [`${at}.value required`, `${at}.unit required`]],
    [{ field: "purchase", operator: "triggeredOlderThan", value: 7 }, [`${at}.unit required`]],
    [{ field: "purchase", operator: "notTriggeredWithin", unit: "days" }, [`${at}.value required`]],
    [{ field: "", operator: "triggered" }, [`${at}.field too_small`]],
    [{ field: "event.", operator: "triggered" }, [`${at}.field too_small`]],
    [{ field: "x".repeat(256), operator: "triggered" }, [`${at}.field too_big`]],
    [{ field: "segment", operator: "memberOfSegment" }, [`${at}.value required`]],
    [{ field: "segment", operator: "memberOfSegment", value: "" }, [`${at}.value required`]],
    [{ field: "segment", operator: "memberOfSegment", value: 1 }, [`${at}.value required`]],
    [{ field: "segment", operator: "memberOfSegment", value: "x".repeat(1001) }, [`${at}.value too_big`]],
    [{ field: "segment", operator: "notMemberOfSegment", value: "a\0b" }, [`${at}.value invalid_string`]],
    [{ field: "segment.", operator: "notMemberOfSegment" }, [`${at}.field custom`]],
    [{ field: "s1", operator: "memberOfSegment" }, [`${at}.field custom`]],
    [{ field: "topic.", operator: "equals", value: true }, [`${at}.field custom`]],
    ...[1, 0, "true", "", ["news"], {}].map((value): [unknown, string[]] => [
      { field: "topic.news", operator: "equals", value },
      [`${at}.value invalid_type`],
    ]),
    [{ field: "topic.news", operator: "notEquals" }, [`${at}.value required`]],
    [{ field: "topic.news", operator: "notEquals", value: null }, [`${at}.value required`]],
    ...["contains", "notContains", "exists", "notExists", "greaterThan", "lessThanOrEqual", "within", "olderThan"].map(
      (operator): [unknown, string[]] => [{ field: "topic.news", operator, value: true }, [`${at}.operator custom`]],
    ),
    [{ field: "password", operator: "within" }, [`${at}.field custom`, `${at}.value required`, `${at}.unit required`]],
  ])("%j is refused", (filter, expected) => {
    expect(faults(of(filter))).toEqual(expected);
  });

  it.each<[filter: Record<string, unknown>]>([
    [isPro],
    [{ field: "data.plan", operator: "equals", value: "" }],
    [{ field: "data.plan", operator: "contains", value: 42 }],
    [{ field: "data.seats", operator: "greaterThan", value: -1.5 }],
    [{ field: "data.since", operator: "lessThan", value: "2026-01-31" }],
    [{ field: "data.since", operator: "lessThan", value: "2026-01-31T09:00:00.123456+01:00" }],
    [{ field: "data.since", operator: "within", value: 0.5, unit: "hours" }],
    [{ field: "email", operator: "exists" }],
    [{ field: "subscribed", operator: "equals", value: true }],
    [{ field: "createdAt", operator: "olderThan", value: 1, unit: "minutes" }],
    [{ field: "updatedAt", operator: "notEquals", value: "2026-01-31" }],
    [{ field: "topic.news", operator: "equals", value: false }],
    [{ field: "topic.news", operator: "notEquals", value: true }],
    [{ field: "topic.news", operator: "triggered" }],
    [{ field: "purchase", operator: "triggered" }],
    [{ field: "event.purchase", operator: "notTriggered" }],
    [{ field: "email.opened", operator: "triggeredWithin", value: 1, unit: "days" }],
    [{ field: "segment.s1", operator: "memberOfSegment" }],
    [{ field: "segment", operator: "notMemberOfSegment", value: "s1" }],
  ])("%j is kept as it is", (filter) => {
    expect(FilterCondition.parse(of(filter))).toEqual(of(filter));
  });

  it.each<[filter: Record<string, unknown>, kept: Record<string, unknown>]>([
    [{ ...isPro, unit: "days", note: "mine" }, { ...isPro }],
    [
      { field: "email", operator: "exists", value: ["whatever"], unit: null },
      { field: "email", operator: "exists" },
    ],
    [
      { field: "segment", operator: "triggered", value: "s1" },
      { field: "segment", operator: "triggered" },
    ],
    [
      { field: "segment.s1", operator: "memberOfSegment", value: "s2" },
      { field: "segment.s1", operator: "memberOfSegment" },
    ],
  ])("%j loses what its operator does not take", (filter, kept) => {
    expect(FilterCondition.parse(of(filter))).toEqual(of(kept));
  });

  it("can have every operator of the contract", () => {
    expect([...operators].sort()).toEqual([
      "contains",
      "equals",
      "exists",
      "greaterThan",
      "greaterThanOrEqual",
      "lessThan",
      "lessThanOrEqual",
      "memberOfSegment",
      "notContains",
      "notEquals",
      "notExists",
      "notMemberOfSegment",
      "notTriggered",
      "notTriggeredWithin",
      "olderThan",
      "triggered",
      "triggeredOlderThan",
      "triggeredWithin",
      "within",
    ]);
  });
});

describe("a condition", () => {
  it.each<[condition: unknown, faults: string[]]>([
    [undefined, ["condition required"]],
    [null, ["condition invalid_type"]],
    ["AND", ["condition invalid_type"]],
    [[], ["condition invalid_type"]],
    [{}, ["condition.logic required", "condition.groups required"]],
    [{ logic: "XOR", groups: [] }, ["condition.logic invalid_enum_value", "condition.groups too_small"]],
    [{ logic: "and", groups: [{ filters: [isPro] }] }, ["condition.logic invalid_enum_value"]],
    [{ logic: "AND", groups: {} }, ["condition.groups invalid_type"]],
    [{ logic: "AND", groups: [isPro] }, ["condition.groups.0.filters required"]],
    [{ logic: "AND", groups: [null, [isPro]] }, ["condition.groups.0 invalid_type", "condition.groups.1 invalid_type"]],
    [{ logic: "AND", groups: [{ filters: [] }] }, ["condition.groups.0 too_small"]],
    [{ logic: "AND", groups: [{ filters: [], conditions: null }] }, ["condition.groups.0 too_small"]],
    [{ logic: "AND", groups: [{ conditions: of(isPro) }] }, ["condition.groups.0.filters required"]],
    [
      { logic: "AND", groups: [{ filters: [isPro], conditions: [of(isPro)] }] },
      ["condition.groups.0.conditions invalid_type"],
    ],
    [
      {
        logic: "AND",
        groups: [{ filters: [isPro] }, { filters: [], conditions: of(isPro, { ...isPro, value: null }) }],
      },
      ["condition.groups.1.conditions.groups.0.filters.1.value required"],
    ],
  ])("%j is refused", (condition, expected) => {
    expect(faults(condition)).toEqual(expected);
  });

  it.each<[what: string, condition: unknown]>([
    ["filters alone", of(isPro)],
    ["conditions alone", { logic: "OR", groups: [{ filters: [], conditions: of(isPro) }] }],
    ["both, and null for none", { logic: "OR", groups: [{ filters: [isPro], conditions: null }] }],
    [`${maxDepth} levels`, nested(maxDepth)],
    [`${maxFilters} filters`, of(...Array(maxFilters).fill(isPro))],
  ])("with %s is kept as it is", (_, condition) => {
    expect(FilterCondition.parse(condition)).toEqual(condition);
  });
});

describe("a condition without an end is refused at once", () => {
  const group = { filters: [] };
  it.each<[what: string, condition: unknown, said: RegExp]>([
    ["one level too many", nested(maxDepth + 1), /nest at most 30 levels deep/],
    ["10,000 levels", nested(10_000), /nest at most 30 levels deep/],
    ["one filter too many", of(...Array(maxFilters + 1).fill(isPro)), /100 filters/],
    ["50,000 filters", of(...Array(50_000).fill(isPro)), /100 filters/],
    ["as many in groups", { logic: "OR", groups: Array(50_000).fill({ filters: [isPro] }) }, /3000 groups/],
    ["101 groups of one", { logic: "OR", groups: Array(maxFilters + 1).fill({ filters: [isPro] }) }, /100 filters/],
    ["300,000 empty groups", { logic: "OR", groups: Array(300_000).fill(group) }, /3000 groups/],
    ["300,000 groups that are none", { logic: "OR", groups: Array(300_000).fill(0) }, /3000 groups/],
    ["100,000 filters that are none", of(...Array(100_000).fill(null)), /100 filters/],
  ])("%s", (_, condition, said) => {
    const startedAt = performance.now();
    const { error } = Body.safeParse({ condition });
    expect(error?.issues).toEqual([
      { code: "custom", path: ["condition"], message: expect.stringMatching(said), params: { code: "too_big" } },
    ]);
    expect(performance.now() - startedAt).toBeLessThan(1000);
  });

  it("in a value that no operator takes, it is not even looked at", () => {
    let value: unknown = [];
    for (let i = 0; i < 10_000; i++) value = [value];
    expect(FilterCondition.parse(of({ field: "email", operator: "exists", value }))).toEqual(
      of({ field: "email", operator: "exists" }),
    );
    expect(faults(of({ ...isPro, value }))).toEqual(["condition.groups.0.filters.0.value invalid_type"]);
  });
});

it("is in the document by its three names", () => {
  const app = new OpenAPIHono();
  const responses = { 200: { description: "", content: { "application/json": { schema: FilterCondition } } } };
  app.openAPIRegistry.registerPath(createRoute({ method: "get", path: "/", responses }));
  const { components } = app.getOpenAPI31Document({ openapi: "3.1.0", info: { title: "", version: "" } });
  expect(components?.schemas).toMatchObject({
    FilterCondition: {
      required: ["logic", "groups"],
      properties: { groups: { type: "array", minItems: 1, items: { $ref: "#/components/schemas/FilterGroup" } } },
    },
    FilterGroup: {
      required: ["filters"],
      properties: {
        filters: { type: "array", items: { $ref: "#/components/schemas/Filter" } },
        conditions: { oneOf: [{ $ref: "#/components/schemas/FilterCondition" }, { type: "null" }] },
      },
    },
    Filter: { required: ["field", "operator"], properties: { operator: { enum: [...operators] } } },
  });
});
