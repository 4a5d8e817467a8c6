import { describe, expect, it } from "vitest";
import { maxAttempts, retryDelayMs } from "../../../src/core/mail/retry";
import { hourMs, minuteMs, secondMs } from "../../../src/core/time";

/** All the waiting between the first try and the last. */
const spanMs = (random: number) =>
  Array.from({ length: maxAttempts - 1 }, (_, index) => retryDelayMs(index + 1, random)).reduce(
    (sum, delay) => sum + delay,
  );

it("gives a mail eight tries", () => {
  expect(maxAttempts).toBe(8);
});

it.each<[afterTry: number, longestMs: number]>([
  [1, 5 * secondMs],
  [2, 15 * secondMs],
  [3, 45 * secondMs],
  [4, 135 * secondMs],
  [5, 405 * secondMs],
  [6, 1215 * secondMs],
  [7, 30 * minuteMs],
  [8, 30 * minuteMs],
  [50, 30 * minuteMs],
])("after try %i waits %i ms at most, and up to a quarter less by chance", (afterTry, longestMs) => {
  expect(retryDelayMs(afterTry, 0)).toBe(longestMs);
  expect(retryDelayMs(afterTry, 0.5)).toBe(Math.round(longestMs * 0.875));
  expect(retryDelayMs(afterTry, 1)).toBe(longestMs * 0.75);
});

it.each([0, 0.5, 1])("spans about an hour in all (chance %f)", (random) => {
  expect(spanMs(random)).toBeGreaterThanOrEqual(0.75 * hourMs);
  expect(spanMs(random)).toBeLessThanOrEqual(1.1 * hourMs);
});

it("waits longer each time, whatever chance says, until it waits half an hour", () => {
  for (let afterTry = 1; afterTry < 6; afterTry++) {
    expect(retryDelayMs(afterTry + 1, 1)).toBeGreaterThan(retryDelayMs(afterTry, 0));
  }
});

describe("a provider that says when to come back", () => {
  it.each<[askedMs: number | undefined, delayMs: number]>([
    [undefined, 5 * secondMs],
    [0, 5 * secondMs],
    [-1, 5 * secondMs],
    [secondMs, 5 * secondMs],
    [5 * secondMs, 5 * secondMs],
    [minuteMs, minuteMs],
    [30 * minuteMs, 30 * minuteMs],
    // Not for ever: one odd answer must not hold a mail for a day.
    [24 * hourMs, 30 * minuteMs],
  ])("%s: waits %i ms", (askedMs, delayMs) => {
    expect(retryDelayMs(1, 0, askedMs)).toBe(delayMs);
  });

  it("is not asked sooner by chance", () => {
    expect(retryDelayMs(1, 1, minuteMs)).toBe(minuteMs);
  });
});
