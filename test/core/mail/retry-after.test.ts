import { expect, it } from "vitest";
import { readRetryAfter } from "../../../src/core/mail/retry-after";

const now = Date.parse("2026-01-31T09:00:00Z");

it.each<[value: string | null, ms: number | undefined]>([
  [null, undefined],
  ["0", 0],
  ["1", 1_000],
  [" 120 ", 120_000],
  ["1.5", 1_500],
  ["Sat, 31 Jan 2026 09:00:30 GMT", 30_000],
  ["Sat, 31 Jan 2026 08:00:00 GMT", 0],
  ["soon", undefined],
  ["", undefined],
])("%j is %s ms", (value, ms) => {
  expect(readRetryAfter(value, now)).toBe(ms);
});
