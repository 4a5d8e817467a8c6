import { describe, expect, it } from "vitest";
import type { Lane } from "../../../src/core/mail/message";
import { type Grant, type PaceRule, type PaceState, takeCalls } from "../../../src/core/mail/pace";

const rule: PaceRule = { perSecond: 10, transactionalShare: 0.2 };
const start = 1_000_000;

/** An account that is asked one time after another. */
function account(paceRule: PaceRule = rule) {
  let state: PaceState | null = null;
  return (lane: Lane, wanted: number, atMs: number): Grant => {
    const [next, grant] = takeCalls(state, lane, wanted, paceRule, start + atMs);
    state = next;
    return grant;
  };
}

describe("transactional mail", () => {
  it("has a second's worth at once, and then waits for its pace", () => {
    const take = account();
    expect(take("transactional", 6, 0)).toEqual({ calls: 6, laterMs: [] });
    expect(take("transactional", 6, 0)).toEqual({ calls: 4, laterMs: [start + 100, start + 200] });
  });

  it("waits in slots one behind the other, across all who ask", () => {
    const take = account();
    take("transactional", 10, 0);
    expect(take("transactional", 2, 0).laterMs).toEqual([start + 100, start + 200]);
    expect(take("transactional", 2, 0).laterMs).toEqual([start + 300, start + 400]);
    expect(take("transactional", 1, 50).laterMs).toEqual([start + 500]);
  });

  it("finds its calls when it comes back in its slot", () => {
    const take = account();
    take("transactional", 10, 0);
    take("transactional", 2, 0);
    expect(take("transactional", 1, 100).calls).toBe(1);
    expect(take("transactional", 1, 200).calls).toBe(1);
  });

  it("forgets slots that have passed", () => {
    const take = account();
    take("transactional", 20, 0);
    take("transactional", 10, 5_000);
    expect(take("transactional", 1, 5_000).laterMs).toEqual([start + 5_100]);
  });
});

describe("campaigns", () => {
  it("leave the reserved share at once and over time", () => {
    const take = account();
    expect(take("campaign", 20, 0).calls).toBe(8);
    expect(take("transactional", 20, 0).calls).toBe(2);
    const alone = account();
    alone("campaign", 20, 0);
    expect(alone("campaign", 20, 1_000).calls).toBe(8);
    expect(alone("transactional", 20, 1_000).calls).toBe(2);
  });

  it("go at their own share of the pace", () => {
    const take = account();
    take("campaign", 8, 0);
    expect(take("campaign", 2, 0).laterMs).toEqual([start + 125, start + 250]);
  });

  it("get nothing while transactional mail waits, and come behind it", () => {
    const take = account();
    take("transactional", 20, 0);
    expect(take("campaign", 1, 500)).toEqual({ calls: 0, laterMs: [start + 1_125] });
    expect(take("campaign", 1, 2_000).calls).toBe(1);
  });

  it("never hold transactional mail back", () => {
    const take = account();
    for (let second = 0; second < 60; second++) {
      take("campaign", 100, second * 1_000);
      expect(take("transactional", 2, second * 1_000).calls).toBe(2);
    }
  });

  it("may have all of it when nothing is reserved", () => {
    expect(account({ perSecond: 10, transactionalShare: 0 })("campaign", 20, 0).calls).toBe(10);
  });
});

describe("over time", () => {
  it.each([
    [0.5, 0.2],
    [1, 0.2],
    [2.5, 0],
    [14, 0.5],
    [200, 0.2],
  ])("%s a second is kept, whoever asks", (perSecond, transactionalShare) => {
    const take = account({ perSecond, transactionalShare });
    let calls = 0;
    for (let ms = 0; ms <= 60_000; ms += 10) {
      calls += take("campaign", 6, ms).calls + take("transactional", ms % 700 === 0 ? 3 : 0, ms).calls;
    }
    expect(calls).toBeLessThanOrEqual(60 * perSecond + Math.max(1, perSecond));
  });

  it("mail that comes back in its slots all goes out in time, after a few asks", () => {
    const take = account();
    let waiting = Array.from({ length: 500 }, () => start);
    let asks = 0;
    let at = start;
    while (waiting.length > 0) {
      at = Math.min(...waiting);
      // Messages are held back by whole seconds.
      const due = waiting.filter((slot) => slot <= at + 1_000);
      waiting = waiting.filter((slot) => slot > at + 1_000);
      for (let i = 0; i < due.length; i += 6) {
        asks++;
        waiting.push(...take("transactional", Math.min(6, due.length - i), at + 1_000 - start).laterMs);
      }
    }
    expect((at - start) / 1_000).toBeLessThan(60);
    expect(asks).toBeLessThan(500);
  });

  it("books an hour ahead at most", () => {
    const take = account({ perSecond: 1, transactionalShare: 0 });
    const { laterMs } = take("campaign", 10_000, 0);
    expect(Math.max(...laterMs)).toBe(start + 3_600_000);
  });

  it("a clock that goes back gives nothing", () => {
    const take = account();
    take("transactional", 10, 0);
    expect(take("transactional", 1, -60_000).calls).toBe(0);
  });
});

it("never changes a state in place", () => {
  const [state] = takeCalls(null, "transactional", 20, rule, start);
  const before = structuredClone(state);
  takeCalls(state, "campaign", 5, rule, start + 500);
  expect(state).toEqual(before);
});
