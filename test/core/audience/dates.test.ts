import { describe, expect, it } from "vitest";
import { dateMs, dayStartMs, windowStartMs } from "../../../src/core/audience/dates";

describe("dateMs", () => {
  it.each<[text: string, at: string]>([
    ["2026-01-31", "2026-01-31T00:00:00.000Z"],
    ["2026-01-31T09:00Z", "2026-01-31T09:00:00.000Z"],
    ["2026-01-31T09:00:00Z", "2026-01-31T09:00:00.000Z"],
    ["2026-01-31T09:00:00.1Z", "2026-01-31T09:00:00.100Z"],
    ["2026-01-31T09:00:00.123456Z", "2026-01-31T09:00:00.123Z"],
    ["2026-01-31T09:00:00.123600+01:00", "2026-01-31T08:00:00.124Z"],
    ["2026-01-31T23:59:59.999999Z", "2026-01-31T23:59:59.999Z"],
    ["2024-02-29", "2024-02-29T00:00:00.000Z"],
    ["2026-01-31T23:30:00-05:00", "2026-02-01T04:30:00.000Z"],
  ])("%s", (text, at) => {
    expect(dateMs(text)).toBe(Date.parse(at));
  });

  it.each([
    "",
    "now",
    "2026",
    "2026-01",
    "2026-1-31",
    "2026-13-01",
    "2026-01-32",
    "2026-02-29",
    "2026-04-31T09:00:00Z",
    "2026-01-31T09",
    "2026-01-31T09:00:00",
  ])("%j is none", (text) => expect(dateMs(text)).toBeNull());
  it.each([
    "2026-01-31 09:00:00Z",
    "2026-01-31T25:00:00Z",
    "2026-01-31T09:00:00.Z",
    "2026-01-31\n",
    "31 Jan 2026",
    "1769850000000",
  ])("%j is none", (text) => expect(dateMs(text)).toBeNull());
});

it("dayStartMs is for whole days alone", () => {
  expect(dayStartMs("2026-01-31")).toBe(Date.UTC(2026, 0, 31));
  expect(dayStartMs("2026-01-31T00:00:00Z")).toBeNull();
  expect(dayStartMs("2026-13-45")).toBeNull();
});

it.each<[amount: number, unit: "days" | "hours" | "minutes", start: string]>([
  [7, "days", "2026-01-25T12:00:00.000Z"],
  [36, "hours", "2026-01-31T00:00:00.000Z"],
  [0.5, "minutes", "2026-02-01T11:59:30.000Z"],
  [Number.MAX_VALUE, "days", "-271821-04-20T00:00:00.000Z"],
])("windowStartMs of %d %s", (amount, unit, start) => {
  expect(windowStartMs(new Date("2026-02-01T12:00:00.000Z"), { amount, unit })).toBe(Date.parse(start));
});
