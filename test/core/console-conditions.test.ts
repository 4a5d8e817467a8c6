import { describe, expect, it } from "vitest";
import type { Kind } from "../../console/src/parts/conditions/operators";
import { kindOf, opened, operatorsFor, writtenFilter } from "../../console/src/parts/conditions/written-filter";
import { atLeast, formsOf } from "../../console/src/words/counting";
import { loadPageWords } from "../../console/src/words/languages";

type Filter = Parameters<typeof opened>[0];

const score = (value: unknown, operator: Filter["operator"] = "notEquals"): Filter => ({
  ...{ field: "data.score", operator, value },
});

/** The filter after its form was opened, changed in this way and applied. `listed` is the type that the lists have. */
function applied(given: Filter, change: Partial<ReturnType<typeof opened>> = {}, listed: Kind | null = null): Filter {
  const written = { ...opened(given), ...change };
  return writtenFilter(written, kindOf(written.field, listed, given), given);
}

describe("a condition that is opened and applied", () => {
  it.each<[Filter, Kind | null]>([
    [score(42), null],
    [score(42), "string"],
    [score("42"), "number"],
    [score(true), null],
    [score("yes"), "boolean"],
    [{ field: "data.seen", operator: "within", value: 3 }, null],
    [{ field: "segment", operator: "memberOfSegment", value: "some-id" }, null],
    [{ field: "bought", operator: "triggeredWithin", value: 30, unit: "hours" }, null],
    [{ field: "topic.news", operator: "notEquals", value: true }, null],
  ])("stays as it is: %o", (given, listed) => {
    expect(applied(given, {}, listed)).toBe(given);
  });

  it("keeps the type of its value where the field is in no list", () => {
    expect(applied(score(42), { typed: "43" })).toEqual(score(43));
    expect(applied(score(42), { operator: "greaterThan" })).toEqual(score(42, "greaterThan"));
    expect(applied(score("42"), { typed: "43" })).toEqual(score("43"));
    expect(applied(score(false), { typed: "true" })).toEqual(score(true));
    const seen: Filter = { field: "data.seen", operator: "within", value: 3, unit: "days" };
    expect(applied(seen, { typed: "4" })).toEqual({ ...seen, value: 4 });
    // The type of one field says nothing about another one.
    expect(applied(score(42), { field: "data.plan" }, null)).toEqual({ ...score("42"), field: "data.plan" });
  });

  it("takes the type of a listed field once it is changed, and keeps an operator that is not offered", () => {
    expect(applied(score("42"), { typed: "43" }, "number")).toEqual(score(43));
    expect(operatorsFor("data.score", "boolean", score(true))[0]).toBe("notEquals");
    expect(operatorsFor("data.plan", "boolean", score(true))).not.toContain("notEquals");
  });

  it("shows who does not get a topic as that, however it is written", () => {
    const topic = (operator: Filter["operator"], value: boolean): Filter => ({ field: "topic.news", operator, value });
    expect(opened(topic("notEquals", true))).toMatchObject({ operator: "equals", typed: "false" });
    expect(opened(topic("notEquals", false))).toMatchObject({ operator: "equals", typed: "true" });
    expect(opened(topic("equals", false))).toMatchObject({ operator: "equals", typed: "false" });
    expect(applied(topic("notEquals", true), { typed: "true" })).toEqual(topic("equals", true));
  });
});

describe("a count that the real one is at least", () => {
  it.each(Object.keys(formsOf) as (keyof typeof formsOf)[])(
    "is of several in %s, also from one on",
    async (language) => {
      const { all } = (await loadPageWords(language)).people.bulk;
      expect(all(atLeast({ value: 1, text: "1" }))).toContain("≥ 1");
      expect(all({ value: 1, text: "1" })).not.toContain("1");
    },
  );
});
