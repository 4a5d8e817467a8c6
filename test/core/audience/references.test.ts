import { expect, it } from "vitest";
import { FilterCondition } from "../../../src/core/audience/condition";
import { type References, referencesOf } from "../../../src/core/audience/references";

const equal = (field: string) => ({ field, operator: "equals", value: 1 });

it.each<[what: string, filters: unknown[], references: Partial<References>]>([
  [
    "fields, sorted and each once",
    [equal("data.b"), equal("email"), equal("data.a"), equal("data.b")],
    {
      fields: ["data.a", "data.b", "email"],
    },
  ],
  [
    "a key with dots, and the key it may lie in",
    [equal("data.profile.tier.name")],
    {
      fields: ["data.profile", "data.profile.tier.name"],
    },
  ],
  [
    "topics, as the fields they are",
    [
      { field: "topic.news", operator: "equals", value: true },
      { field: "topic.offers", operator: "notTriggered" },
    ],
    { fields: ["topic.news"], events: ["topic.offers"] },
  ],
  ["a key that only begins with a dot", [equal("data..a")], { fields: ["data..a"] }],
  [
    "events, whichever way they are named",
    [
      { field: "purchase", operator: "triggered" },
      { field: "event.purchase", operator: "notTriggered" },
      { field: "email.opened", operator: "triggeredWithin", value: 1, unit: "days" },
      { field: "data.plan", operator: "triggered" },
    ],
    { events: ["data.plan", "email.opened", "purchase"] },
  ],
  [
    "segments, whichever way they are named",
    [
      { field: "segment.s2", operator: "memberOfSegment" },
      { field: "segment", operator: "notMemberOfSegment", value: "s1" },
      { field: "segment.s1", operator: "memberOfSegment" },
    ],
    { segments: ["s1", "s2"] },
  ],
])("%s", (_, filters, references) => {
  const condition = FilterCondition.parse({ logic: "AND", groups: [{ filters }] });
  expect(referencesOf(condition)).toEqual({ fields: [], events: [], segments: [], ...references });
});

it("looks into every group and every nested condition", () => {
  const inner = { logic: "OR", groups: [{ filters: [equal("data.c")] }, { filters: [equal("data.d")] }] };
  const condition = {
    logic: "AND",
    groups: [{ filters: [equal("data.a")] }, { filters: [equal("data.b")], conditions: inner }],
  };
  expect(referencesOf(FilterCondition.parse(condition)).fields).toEqual(["data.a", "data.b", "data.c", "data.d"]);
});
