import { describe, expect, it } from "vitest";
import type { CallOutcome } from "../../../src/core/outbound/verdict";
import { hourMs, minuteMs } from "../../../src/core/time";
import { judgeOutcome, retryForMs } from "../../../src/core/webhooks/verdict";

const moment = { now: 1_000, random: 0 };
const fresh = { attempts: 0, triesUntil: 1_000 + retryForMs };
const answered = (status: number, retryAfterMs: number | null = null): CallOutcome => ({
  ...{ kind: "answered", status, retryAfterMs },
});

describe("a try of a delivery", () => {
  it.each([200, 201, 204, 299])("succeeds with %i", (status) => {
    expect(judgeOutcome(answered(status), fresh, moment)).toEqual({ kind: "succeeded" });
  });

  it.each([100, 199, 300, 304, 400, 401, 404, 409, 422, 429, 500, 503, 599])("is repeated after %i", (status) => {
    expect(judgeOutcome(answered(status), fresh, moment)).toEqual({ kind: "again", waitMs: minuteMs, putOff: null });
  });

  it("is the last one when it is gone, or after three days", () => {
    expect(judgeOutcome(answered(410), fresh, moment)).toEqual({ kind: "failed", isGone: true, putOff: null });
    const old = { attempts: 3, triesUntil: 1_000 };
    expect(judgeOutcome(answered(500), old, moment)).toEqual({ kind: "failed", isGone: false, putOff: null });
  });

  it("waits longer each time, and up to a tenth more by chance", () => {
    const waits = (random: number) =>
      Array.from({ length: 7 }, (_, attempts) => {
        const verdict = judgeOutcome({ kind: "failed" }, { ...fresh, attempts }, { now: 1_000, random });
        return verdict.kind === "again" ? verdict.waitMs / minuteMs : null;
      });
    expect(waits(0)).toEqual([1, 5, 25, 125, 625, 720, 720]);
    expect(waits(1)).toEqual([1.1, 5.5, 27.5, 137.5, 687.5, 792, 792]);
  });

  it.each([429, 503])(
    "waits as long as Retry-After asks with %i, up to 12 hours, and so does the endpoint",
    (status) => {
      expect(judgeOutcome(answered(status, hourMs), fresh, moment)).toEqual({
        ...{ kind: "again", waitMs: hourMs, putOff: { ms: hourMs } },
      });
      expect(judgeOutcome(answered(status, 1_000), fresh, moment)).toMatchObject({ waitMs: minuteMs });
      expect(judgeOutcome(answered(status, 100 * hourMs), fresh, moment)).toMatchObject({ waitMs: 12 * hourMs });
    },
  );

  it.each(["timed out", "unresolved"] as const)("puts the endpoint off when it %s", (kind) => {
    expect(judgeOutcome({ kind }, fresh, moment)).toMatchObject({ kind: "again", putOff: "silent" });
  });

  it.each(["failed", "refused"] as const)("puts nothing else off when it %s", (kind) => {
    expect(judgeOutcome({ kind }, fresh, moment)).toMatchObject({ kind: "again", putOff: null });
  });
});
