import { describe, expect, it } from "vitest";
import type { Lane } from "../../../src/core/mail/message";
import { callsAt, callsNow, type PaceRule, refilled, takeCalls } from "../../../src/core/mail/pace";

const rule: PaceRule = { perSecond: 10, transactionalShare: 0.2 };
const start = 1_000_000;

/** A bucket of which calls are taken at times: how many there were each time. */
function take(given: PaceRule, ...taken: [lane: Lane, calls: number, atMs: number][]): number[] {
  let state = refilled(null, given, start);
  return taken.map(([lane, wanted, atMs]) => {
    state = refilled(state, given, start + atMs);
    const calls = Math.min(wanted, callsNow(state, lane));
    state = takeCalls(state, lane, calls);
    return calls;
  });
}

describe("calls", () => {
  it.each<[what: string, rule: PaceRule, taken: Parameters<typeof take>[1][], calls: number[]]>([
    ["a second's worth at once", rule, [["transactional", 20, 0]], [10]],
    [
      "then at their pace",
      rule,
      [
        ["transactional", 10, 0],
        ["transactional", 5, 100],
        ["transactional", 5, 300],
      ],
      [10, 1, 2],
    ],
    [
      "never more than a second's worth",
      rule,
      [
        ["transactional", 10, 0],
        ["transactional", 99, 60_000],
      ],
      [10, 10],
    ],
    [
      "a campaign leaves its share",
      rule,
      [
        ["campaign", 20, 0],
        ["transactional", 20, 0],
      ],
      [8, 2],
    ],
    [
      "a campaign goes at its own share",
      rule,
      [
        ["campaign", 8, 0],
        ["campaign", 9, 500],
        ["campaign", 9, 1_000],
      ],
      [8, 4, 4],
    ],
    [
      "both lanes share the rest",
      rule,
      [
        ["transactional", 9, 0],
        ["campaign", 9, 0],
      ],
      [9, 1],
    ],
    [
      "slower than one a second",
      { perSecond: 0.1, transactionalShare: 0 },
      [
        ["transactional", 9, 0],
        ["transactional", 9, 9_999],
        ["transactional", 9, 10_000],
      ],
      [1, 0, 1],
    ],
    [
      "a clock that goes back",
      rule,
      [
        ["transactional", 10, 1_000],
        ["transactional", 9, 0],
        ["transactional", 9, 500],
      ],
      [10, 0, 5],
    ],
  ])("%s", (_, given, taken, calls) => {
    expect(take(given, ...taken)).toEqual(calls);
  });

  it("that were not used are given back", () => {
    const full = refilled(null, rule, start);
    expect(takeCalls(takeCalls(full, "campaign", 6), "campaign", -6)).toEqual(full);
  });

  it.each<[Lane, calls: number, afterMs: number]>([
    ["transactional", 1, 100],
    ["transactional", 5, 500],
    ["transactional", 99, 1_000],
    ["campaign", 1, 125],
    ["campaign", 4, 500],
  ])("of %s: %i are there after %i ms", (lane, calls, afterMs) => {
    const empty = takeCalls(refilled(null, rule, start), "campaign", 8);
    const at = callsAt({ ...empty, calls: 0 }, lane, calls, rule);
    expect(at).toBe(start + afterMs);
    expect(callsNow(refilled({ ...empty, calls: 0 }, rule, at), lane)).toBeGreaterThanOrEqual(Math.min(calls, 8));
  });
});
