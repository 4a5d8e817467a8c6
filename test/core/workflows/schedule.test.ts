import { describe, expect, it } from "vitest";
import { cronFault, nextTick, ticksAround } from "../../../src/core/workflows/schedule";

const now = new Date("2026-01-31T09:02:30.000Z");

describe("a schedule", () => {
  it.each([
    ["*/5 * * * *", "2026-01-31T09:05:00.000Z"],
    ["0 9 * * MON", "2026-02-02T09:00:00.000Z"],
    ["30 6 1 * *", "2026-02-01T06:30:00.000Z"],
    ["0 0 29 2 *", "2028-02-29T00:00:00.000Z"],
    ["0 9 * * 7", "2026-02-01T09:00:00.000Z"],
    ["@daily", "2026-02-01T00:00:00.000Z"],
    [" 0  9 * * * ", "2026-02-01T09:00:00.000Z"],
    ["2 9 31 1 *", "2027-01-31T09:02:00.000Z"],
  ])("of %s ticks next at %s, in UTC", (cron, tick) => {
    expect(cronFault(cron, now)).toBeNull();
    expect(nextTick(cron, now)).toBe(Date.parse(tick));
  });

  it.each([
    ["*/5 * * * *", "2026-01-31T09:00:00.000Z", "2026-01-31T09:00:00.000Z", "2026-01-31T09:05:00.000Z"],
    ["*/5 * * * *", "2025-01-31T09:00:00.000Z", "2026-01-31T09:00:00.000Z", "2026-01-31T09:05:00.000Z"],
    ["*/5 9 * * MON", "2025-02-03T09:00:00.000Z", "2026-01-26T09:55:00.000Z", "2026-02-02T09:00:00.000Z"],
    ["0 0 29 2 *", "2020-02-29T00:00:00.000Z", "2024-02-29T00:00:00.000Z", "2028-02-29T00:00:00.000Z"],
    ["2 9 * * *", "2026-01-29T09:02:00.000Z", "2026-01-31T09:02:00.000Z", "2026-02-01T09:02:00.000Z"],
  ])("of %s that was due at %s has come at %s, and comes at %s", (cron, due, tick, next) => {
    expect(ticksAround(cron, Date.parse(due), now)).toEqual({ tick: Date.parse(tick), next: Date.parse(next) });
  });

  it("ticks strictly after a tick", () => {
    const tick = nextTick("0 * * * *", now) ?? 0;
    expect(nextTick("0 * * * *", new Date(tick))).toBe(tick + 3_600_000);
  });

  it.each([
    ["* * * * *", "5 minutes apart"],
    ["*/4 * * * *", "5 minutes apart"],
    ["0,3 9 * * MON", "5 minutes apart"],
    ["2,58 0,23 * * *", "5 minutes apart"],
    ["* * * * * *", "five fields"],
    ["@reboot", "five fields"],
    ["2026-05-01T00:00:00", "five fields"],
    ["", "five fields"],
    ["0 25 * * *", "Invalid value for hour: 25"],
    ["H * * * *", "not a cron expression"],
    ["0 0 31 2 *", "never matches"],
    [`0 9 * * ${"1,".repeat(60)}1`, "At most 100 characters"],
  ])("of %s is refused: %s", (cron, reason) => {
    expect(cronFault(cron, now)).toContain(reason);
  });
});
