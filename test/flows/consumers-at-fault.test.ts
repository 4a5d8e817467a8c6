import { afterEach, describe, it, vi } from "vitest";
import { FaultTally } from "../support/fault-tally";
import { expectSameEnd } from "../support/same-end";
import { works } from "../support/works";

const tally = new FaultTally("Messages");

afterEach(() => {
  vi.unstubAllGlobals();
});

const types = Object.keys(works) as (keyof typeof works)[];

describe("a message, whatever happened to each of its writes, comes to the same end:", () => {
  it.each(types)("%s", (type) => expectSameEnd(works[type], { type }, tally), 300_000);
});

it("is what the table of docs/faults.md says", () => tally.expectAsDocumented());
