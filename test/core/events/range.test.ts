import { describe, expect, it } from "vitest";
import { DateRange, spanOf } from "../../../src/core/events/range";
import { dayMs } from "../../../src/core/time";

const at = (iso: string) => Date.parse(iso);

describe("a date in a query", () => {
  it.each([
    ["2026-01-31", { from: at("2026-01-31T00:00:00Z"), to: at("2026-02-01T00:00:00Z") }],
    ["2024-02-29", { from: at("2024-02-29T00:00:00Z"), to: at("2024-03-01T00:00:00Z") }],
    ["9999-12-31", { from: at("9999-12-31T00:00:00Z"), to: 253_402_300_800_000 }],
  ])("%s is that whole day in UTC", (text, span) => {
    expect(spanOf(text)).toEqual(span);
  });

  it.each([
    ["2026-01-31T09:00:00.250Z", "2026-01-31T09:00:00.250Z"],
    ["2026-01-31T09:00:00Z", "2026-01-31T09:00:00.000Z"],
    ["2026-01-31T09:00Z", "2026-01-31T09:00:00.000Z"],
    ["2026-01-31t09:00:00z", "2026-01-31T09:00:00.000Z"],
    ["2026-01-31T09:00:00+02:00", "2026-01-31T07:00:00.000Z"],
    ["2026-01-31T09:00:00-11:30", "2026-01-31T20:30:00.000Z"],
    ["2026-01-31T09:00:00", "2026-01-31T09:00:00.000Z"],
    ["2026-01-31T09:00", "2026-01-31T09:00:00.000Z"],
  ])("%s is the moment %s", (text, moment) => {
    expect(spanOf(text)).toEqual({ from: at(moment), to: at(moment) + 1 });
  });

  it.each([
    "",
    "yesterday",
    "1769850000000",
    "2026-1-31",
    "2026-02-30",
    "2026-13-01",
    "2026-02-30T09:00:00Z",
    "2026-01-31T25:00:00Z",
    "2026-01-31Z",
    "2026-01-31 09:00:00Z",
    "2026-01-31T09:00:00+99:00",
    "01/31/2026",
    " 2026-01-31",
  ])("%j is none", (text) => {
    expect(spanOf(text)).toBeNull();
    expect(DateRange.safeParse({ startDate: text }).success).toBe(false);
  });
});

describe("a range of dates", () => {
  it.each([
    ["2026-01-31", "2026-01-31", dayMs],
    ["2026-01-30", "2026-01-31", 2 * dayMs],
    ["2026-01-31T12:00:00Z", "2026-01-31", dayMs / 2],
    ["2026-01-31T12:00:00Z", "2026-01-31T12:00:00Z", 1],
    ["2026-01-31", "2026-01-31T00:00:00Z", 1],
  ])("from %s to %s is %d ms", (startDate, endDate, ms) => {
    const range = DateRange.parse({ startDate, endDate });
    expect((range.endDate?.to ?? 0) - (range.startDate?.from ?? 0)).toBe(ms);
  });

  it.each([
    ["2026-01-31", "2026-01-30"],
    ["2026-01-31T12:00:00Z", "2026-01-31T11:59:59.999Z"],
    ["2026-02-01T00:00:00Z", "2026-01-31"],
  ])("from %s to %s ends before it starts", (startDate, endDate) => {
    expect(DateRange.safeParse({ startDate, endDate }).error?.issues[0]?.path).toEqual(["endDate"]);
  });
});
