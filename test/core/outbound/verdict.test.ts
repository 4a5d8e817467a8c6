import { describe, expect, it } from "vitest";
import { type CallOutcome, putOffBy, retryWaitMs } from "../../../src/core/outbound/verdict";
import { hourMs, minuteMs } from "../../../src/core/time";

const answered = (status: number, retryAfterMs: number | null): CallOutcome => ({
  ...{ kind: "answered", status, retryAfterMs },
});

describe("the other calls of a receiver", () => {
  it.each<[CallOutcome, ReturnType<typeof putOffBy>]>([
    [{ kind: "timed out" }, "silent"],
    [{ kind: "unresolved" }, "silent"],
    [{ kind: "refused" }, null],
    [{ kind: "failed" }, null],
    [answered(200, minuteMs), null],
    [answered(500, minuteMs), null],
    [answered(503, null), null],
    [answered(503, minuteMs), { ms: minuteMs }],
    [answered(429, 5 * hourMs), { ms: hourMs }],
  ])("wait after %j: %j", (outcome, putOff) => {
    expect(putOffBy(outcome, hourMs)).toEqual(putOff);
  });
});

it("waits up to a tenth longer than its backoff", () => {
  const backoff = { firstMs: minuteMs, growth: 5, maxMs: hourMs };
  const waits = [0, 0.5, 1].map((random) => retryWaitMs(backoff, 1, random) / minuteMs);
  expect(waits).toEqual([5, 5.25, 5.5]);
});
