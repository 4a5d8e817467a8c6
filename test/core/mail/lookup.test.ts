import { describe, expect, it } from "vitest";
import { firstLookUpAt, lookUpAgainAt, nextLookUpAt } from "../../../src/core/mail/lookup";

const minuteMs = 60_000;
const calledAt = 1_000_000;
const minutesIn = (minutes: number) => calledAt + minutes * minuteMs;

describe("a mail of unknown outcome", () => {
  it("is looked for 2, 10 and 60 minutes after its call, and is then surely not there", () => {
    expect(firstLookUpAt(calledAt)).toBe(minutesIn(2));
    expect(nextLookUpAt({ lookUps: 0, now: minutesIn(2) })).toBe(minutesIn(10));
    expect(nextLookUpAt({ lookUps: 1, now: minutesIn(10) })).toBe(minutesIn(60));
    expect(nextLookUpAt({ lookUps: 2, now: minutesIn(60) })).toBeNull();
  });

  it("is looked for as far apart when the first answer comes late", () => {
    expect(nextLookUpAt({ lookUps: 0, now: minutesIn(300) })).toBe(minutesIn(308));
    expect(nextLookUpAt({ lookUps: 1, now: minutesIn(308) })).toBe(minutesIn(358));
  });

  it("waits twice as long after each lookup without an answer, for a day", () => {
    const times = [];
    for (let at: number | null = minutesIn(2); at !== null; at = lookUpAgainAt({ calledAt, now: at })) times.push(at);
    expect(times).toEqual([2, 4, 8, 16, 32, 64, 128, 256, 512, 1024].map(minutesIn));
    expect(lookUpAgainAt({ calledAt, now: calledAt })).toBe(minutesIn(1));
  });
});
