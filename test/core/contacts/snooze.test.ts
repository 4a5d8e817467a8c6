import { describe, expect, it } from "vitest";
import { type SnoozeDuration, type SnoozeRequest, snoozeEnd } from "../../../src/core/contacts/snooze";
import { Invalid } from "../../../src/core/errors";

const endOf = (asked: SnoozeRequest, from: string) => new Date(snoozeEnd(asked, new Date(from))).toISOString();

describe("the end of a snooze by length", () => {
  it.each<[duration: SnoozeDuration, from: string, until: string]>([
    ["14d", "2026-01-25T10:30:15.250Z", "2026-02-08T10:30:15.250Z"],
    ["14d", "2028-02-20T00:00:00.000Z", "2028-03-05T00:00:00.000Z"],
    ["1m", "2026-01-15T10:30:15.250Z", "2026-02-15T10:30:15.250Z"],
    ["1m", "2026-12-15T00:00:00.000Z", "2027-01-15T00:00:00.000Z"],
    // A month without that day ends on its last.
    ["1m", "2026-01-31T23:59:59.999Z", "2026-02-28T23:59:59.999Z"],
    ["1m", "2028-01-31T12:00:00.000Z", "2028-02-29T12:00:00.000Z"],
    ["1m", "2026-03-31T12:00:00.000Z", "2026-04-30T12:00:00.000Z"],
    ["1m", "2026-02-28T12:00:00.000Z", "2026-03-28T12:00:00.000Z"],
    ["3m", "2026-11-30T12:00:00.000Z", "2027-02-28T12:00:00.000Z"],
    ["6m", "2026-08-31T12:00:00.000Z", "2027-02-28T12:00:00.000Z"],
    ["6m", "2026-01-01T00:00:00.000Z", "2026-07-01T00:00:00.000Z"],
    ["1y", "2026-06-15T12:00:00.000Z", "2027-06-15T12:00:00.000Z"],
    ["1y", "2028-02-29T12:00:00.000Z", "2029-02-28T12:00:00.000Z"],
  ])("%s from %s is %s", (duration, from, until) => {
    expect(endOf({ duration }, from)).toBe(until);
  });
});

describe("the end of a snooze by time", () => {
  const now = "2026-01-31T09:00:00.000Z";
  const until = (time: string): SnoozeRequest => ({ until: Date.parse(time) });

  it.each(["2026-01-31T09:00:00.001Z", "2026-02-01T00:00:00.000Z", "2031-01-31T09:00:00.000Z"])("takes %s", (time) => {
    expect(endOf(until(time), now)).toBe(time);
  });

  it.each([
    ["the very moment", now, "too_small"],
    ["the past", "2025-01-31T09:00:00.000Z", "too_small"],
    ["more than five years ahead", "2031-01-31T09:00:00.001Z", "too_big"],
    ["the end of time", "9999-12-31T23:59:59.999Z", "too_big"],
  ])("refuses %s", (_, time, code) => {
    const refused = () => snoozeEnd(until(time), new Date(now));
    expect(refused).toThrow(Invalid);
    expect(refused).toThrow(expect.objectContaining({ faults: [expect.objectContaining({ field: "until", code })] }));
  });
});
