import { afterEach, describe, it, vi } from "vitest";
import { ticks } from "../../src/cron";
import { FaultTally } from "../support/fault-tally";
import { expectSameEnd } from "../support/same-end";
import { loseMessages } from "../support/works";

const tally = new FaultTally("Ticks");

afterEach(() => {
  vi.unstubAllGlobals();
});

/** The ticks whose sweeps look for work. Those of the others forget what is old. */
const looking = ["* * * * *", "*/5 * * * *"];

describe("the sweeps of a tick, whatever happened to each of their writes, come to the same end:", () => {
  it.each(Object.keys(ticks))(
    "%s",
    (cron) => expectSameEnd({ begin: looking.includes(cron) ? loseMessages : async () => {} }, { cron }, tally),
    60_000,
  );
});

it("is what the table of docs/faults.md says", () => tally.expectAsDocumented());
