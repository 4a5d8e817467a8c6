import { afterEach, describe, it, vi } from "vitest";
import { FaultTally } from "../support/fault-tally";
import { expectSameEnd } from "../support/same-end";
import { works } from "../support/works";

const tally = new FaultTally("Messages");

afterEach(() => {
  vi.unstubAllGlobals();
});

// A move has hundreds of writes. `move.test.ts` lets it die anywhere.
const types = (Object.keys(works) as (keyof typeof works)[]).filter((type) => type !== "project.move");

describe("a message, whatever happened to each of its writes, comes to the same end:", () => {
  it.each(types)("%s", (type) => expectSameEnd(works[type], { type }, tally), 60_000);
});

it("is what the table of docs/faults.md says", () => tally.expectAsDocumented());
