import { describe, expect, it } from "vitest";
import { FilterCondition, type SegmentSource } from "../../../src/core/audience/condition";
import { nestingFaults } from "../../../src/core/audience/nesting";

const plain = { field: "data.plan", operator: "equals", value: "pro" };
const inSegment = (id: string) => ({ field: `segment.${id}`, operator: "memberOfSegment" });
const of = (...filters: unknown[]) => FilterCondition.parse({ logic: "AND", groups: [{ filters }] });
const plains = (count: number) => Array<unknown>(count).fill(plain);

function nested(depth: number, innermost: unknown = plain): FilterCondition {
  if (depth === 1) return of(innermost);
  return { logic: "OR", groups: [{ filters: [], conditions: nested(depth - 1, innermost) }] };
}

function faults(condition: FilterCondition, segments: Record<string, SegmentSource> = {}, ownId?: string): string[] {
  return nestingFaults(condition, (id) => segments[id], { at: "condition", ownId }).map(
    ({ field, code, message }) => `${field} ${code}: ${message}`,
  );
}

describe("a condition may name", () => {
  it.each<[what: string, condition: FilterCondition, segments: Record<string, SegmentSource>]>([
    ["no segment", of(plain), {}],
    ["a list", of(inSegment("a")), { a: "members" }],
    ["a condition", of(inSegment("a")), { a: of(plain) }],
    ["one segment by two ways", of(inSegment("a"), inSegment("b")), { a: of(inSegment("b")), b: of(plain) }],
    ["a tracked segment of any size", of(...plains(99), inSegment("a")), { a: "members" }],
    ["as many filters as there may be", of(...plains(40), inSegment("a")), { a: of(...plains(60)) }],
    ["conditions as deep as they may be", nested(10, inSegment("a")), { a: nested(20) }],
  ])("%s", (_, condition, segments) => {
    expect(faults(condition, segments)).toEqual([]);
  });
});

describe("it is refused", () => {
  const first = "condition.groups.0.filters.0";

  it.each<[what: string, condition: FilterCondition, segments: Record<string, SegmentSource>, faults: string[]]>([
    ["a segment that is not there", of(inSegment("a")), {}, [`${first}.field custom: No segment a in this project`]],
    [
      "one by its value, below others",
      {
        logic: "AND",
        groups: [{ filters: [], conditions: of(plain, { field: "segment", operator: "memberOfSegment", value: "x" }) }],
      },
      {},
      ["condition.groups.0.conditions.groups.0.filters.1.value custom: No segment x in this project"],
    ],
    [
      "the segment itself",
      of(inSegment("own")),
      {},
      [`${first}.field custom: Segment own contains itself, directly or through other segments`],
    ],
    [
      "a segment that leads back",
      of(plain, inSegment("a"), inSegment("c")),
      { a: of(inSegment("b")), b: of(inSegment("own")), c: of(plain) },
      ["condition.groups.0.filters.1.field custom: Segment a contains itself, directly or through other segments"],
    ],
    [
      "a circle of others",
      of(inSegment("a")),
      { a: of(inSegment("b")), b: of(inSegment("a")) },
      [`${first}.field custom: Segment a contains itself, directly or through other segments`],
    ],
    [
      "too many filters in all",
      of(...plains(41), inSegment("a")),
      { a: of(...plains(60)) },
      [
        "condition too_big: Together with the segments it names, this condition is too large: 101 of at most 100 filters, 2 of at most 30 levels",
      ],
    ],
    [
      "too deep in all",
      nested(11, inSegment("a")),
      { a: nested(20) },
      [
        "condition too_big: Together with the segments it names, this condition is too large: 1 of at most 100 filters, 31 of at most 30 levels",
      ],
    ],
  ])("for %s", (_, condition, segments, expected) => {
    expect(faults(condition, segments, "own")).toEqual(expected);
  });

  it("at once, when each segment names the one before ten times", () => {
    const tenTimes = (id: number) => of(...Array<unknown>(10).fill(inSegment(`s${id}`)));
    const segments = Object.fromEntries(
      Array.from({ length: 25 }, (_, i): [string, FilterCondition] => [`s${i}`, i === 0 ? of(plain) : tenTimes(i - 1)]),
    );
    expect(faults(of(inSegment("s24")), segments)).toEqual([expect.stringMatching(/^condition too_big/)]);
  });
});
