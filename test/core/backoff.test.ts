import { expect, it } from "vitest";
import { backoffMs } from "../../src/core/backoff";
import { hourMs, minuteMs, secondMs } from "../../src/core/time";

it.each<[waits: number, waitMs: number]>([
  [0, minuteMs],
  [1, 2 * minuteMs],
  [2, 4 * minuteMs],
  [5, 32 * minuteMs],
  [6, hourMs],
  [7, hourMs],
  [100_000, hourMs],
])("doubles a minute up to an hour: after %i waits comes one of %i ms", (waits, waitMs) => {
  expect(backoffMs({ firstMs: minuteMs, growth: 2, maxMs: hourMs }, waits)).toBe(waitMs);
});

it.each<[waits: number, waitMs: number]>([
  [0, 5 * secondMs],
  [1, 15 * secondMs],
  [4, 405 * secondMs],
  [6, 30 * minuteMs],
])("grows by what it is given: after %i waits comes one of %i ms", (waits, waitMs) => {
  expect(backoffMs({ firstMs: 5 * secondMs, growth: 3, maxMs: 30 * minuteMs }, waits)).toBe(waitMs);
});

it("never waits longer than the longest, be it the first time", () => {
  expect(backoffMs({ firstMs: minuteMs, growth: 2, maxMs: secondMs }, 0)).toBe(secondMs);
});
