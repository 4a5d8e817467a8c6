import { expect, it } from "vitest";
import { FaultTally, harmBetween, unharmed } from "../support/fault-tally";

const good = ["emails SENT ada", "emails SENT grace", "events email.sent"];

it.each([
  ["the same in another order", good.toReversed(), {}],
  ["a row too few", good.slice(1), { lost: 1 }],
  ["a table that is empty", good.slice(0, 2), { lost: 1 }],
  ["a row twice", [...good, "events email.sent"], { doubled: 1 }],
  ["a table of its own", [...good, "jobs queued"], { doubled: 1 }],
  ["a row in another state", ["emails QUEUED ada", ...good.slice(1)], { stuck: 1 }],
  ["one of two that are alike", ["emails SENT ada", "emails SENT ada", "events email.sent"], { stuck: 1 }],
])("an end is compared with a good one: %s", (_, found, harm) => {
  expect(harmBetween(good, found)).toEqual({ ...unharmed, ...harm });
});

it("a harm, and a path that was not compared, are not what docs/faults.md says", () => {
  const harmed = new FaultTally("Reports of providers");
  harmed.add("email.bounced", "answer lost", { ...unharmed, doubled: 1 });
  expect(() => harmed.expectAsDocumented()).toThrow("lost, doubled, stuck");
  const incomplete = new FaultTally("Reports of providers");
  expect(() => incomplete.expectAsDocumented(false)).toThrow("in docs/faults.md");
  incomplete.add("email.bounced", "answer lost", unharmed);
  incomplete.expectAsDocumented(false);
  expect(() => incomplete.expectAsDocumented(true)).toThrow("in docs/faults.md");
});
