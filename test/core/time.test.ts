import { describe, expect, it } from "vitest";
import { dayMs, hourMs, iso, isoOrNull, minuteMs, monthOf, secondMs } from "../../src/core/time";

it("knows how long things are", () => {
  expect([secondMs, minuteMs, hourMs, dayMs]).toEqual([1_000, 60_000, 3_600_000, 86_400_000]);
});

describe("iso", () => {
  it.each<[ms: number, text: string]>([
    [0, "1970-01-01T00:00:00.000Z"],
    [1, "1970-01-01T00:00:00.001Z"],
    [1_769_850_000_000, "2026-01-31T09:00:00.000Z"],
    [Date.UTC(2028, 1, 29, 23, 59, 59, 999), "2028-02-29T23:59:59.999Z"],
  ])("writes %i with milliseconds, in UTC", (ms, text) => {
    expect(iso(ms)).toBe(text);
    expect(isoOrNull(ms)).toBe(text);
  });

  it("leaves out a time that is not there", () => {
    expect(isoOrNull(null)).toBeNull();
  });
});

describe("monthOf", () => {
  it.each([
    ["2026-01-01T00:00:00.000Z", "2026-01"],
    ["2026-01-31T23:59:59.999Z", "2026-01"],
    ["2026-02-01T00:00:00.000Z", "2026-02"],
    ["2026-12-31T23:59:59.999Z", "2026-12"],
    ["2026-02-01T00:30:00+01:00", "2026-01"],
    ["2025-12-31T20:00:00-05:00", "2026-01"],
  ])("%s counts for %s", (time, month) => {
    expect(monthOf(new Date(time))).toBe(month);
  });
});
