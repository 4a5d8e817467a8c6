import { expect, it } from "vitest";
import { Names, segmentsIn, turnSegments } from "../../clients/cli/src/files/names";
import { freeName, slugOf } from "../../clients/cli/src/files/slug";

const filters = (segment: object) => ({
  logic: "AND",
  groups: [{ filters: [{ ...segment, operator: "memberOfSegment" }] }],
});

it("finds segments in conditions of either form, and writes one form", () => {
  const expected = filters({ field: "segment", value: "VIP" });
  for (const segment of [{ field: "segment.1" }, { field: "segment", value: "1" }]) {
    expect(segmentsIn(filters(segment))).toEqual(["1"]);
    expect(turnSegments(filters(segment), () => "VIP")).toEqual(expected);
  }
  const plain = filters({ field: "data.segment", value: "1" });
  expect(turnSegments(plain, () => "VIP")).toEqual(plain);
});

it("refuses a name that two have, and one that nothing has", () => {
  const names = new Names();
  names.add("topic", "News", "1");
  names.add("topic", "News", "1");
  names.add("segment", "News", "2");
  expect(() => names.add("topic", "News", "3")).toThrow("Two topics of the project are named News");
  expect(() => names.idOf("topic", "Offers", "a.md")).toThrow("a.md: there is no topic named Offers. There are: News");
  expect(names.idOf("segment", "News", "a.md")).toBe("2");
});

it.each([
  ["What's new?", "whats-new"],
  ["Übersicht März", "ubersicht-marz"],
  ["../../etc", "etc"],
  ["日本", "template"],
])("names the file of %s", (name, slug) => {
  expect(slugOf(name, "template")).toBe(slug);
});

it("gives the second of a name a number", () => {
  expect(freeName("a", (name) => name === "a" || name === "a-2")).toBe("a-3");
});
