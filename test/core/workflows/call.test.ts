import { describe, expect, it } from "vitest";
import type { OutboundResult } from "../../../src/core/outbound/verdict";
import { hourMs, minuteMs, secondMs } from "../../../src/core/time";
import { judgeCall, maxTries, maxWaitMs } from "../../../src/core/workflows/call";

const moment = { now: 1_000, random: 0 };
const fresh = { attempts: 0, createdAt: 1_000 };
const answered = (status: number, body = "", retryAfterMs: number | null = null): OutboundResult => ({
  ...{ kind: "answered", status, body, retryAfterMs },
});

describe("a call of a WEBHOOK step", () => {
  it.each([200, 204, 302, 404, 410])("is over with an answer of %i", (status) => {
    expect(judgeCall(answered(status), fresh, moment)).toMatchObject({
      ...{ kind: "over", outcome: { kind: "done", output: { statusCode: status } }, putOff: null },
    });
  });

  it.each([429, 500, 503])("is repeated after %i, then fails", (status) => {
    expect(judgeCall(answered(status), fresh, moment)).toEqual({
      ...{ kind: "again", waitMs: 30 * secondMs, isCounted: true, putOff: null },
    });
    expect(judgeCall(answered(status), { ...fresh, attempts: maxTries - 1 }, moment)).toEqual({
      ...{ kind: "over", outcome: { kind: "failed", reason: `The endpoint answered ${status}.` }, putOff: null },
    });
  });

  it("is not repeated when its URL may not be called", () => {
    const refused = judgeCall({ kind: "refused", reason: "It is private." }, fresh, moment);
    expect(refused).toEqual({ kind: "over", outcome: { kind: "failed", reason: "It is private." }, putOff: null });
  });

  it("is repeated for an hour, uncounted, while no resolver answers", () => {
    const unresolved: OutboundResult = { kind: "unresolved", reason: "No resolver answered." };
    const call = { ...fresh, attempts: maxTries };
    expect(judgeCall(unresolved, call, moment)).toEqual({
      ...{ kind: "again", waitMs: minuteMs, isCounted: false, putOff: "silent" },
    });
    expect(judgeCall(unresolved, call, { ...moment, now: 1_000 + maxWaitMs })).toMatchObject({ kind: "over" });
  });

  it("puts its host off when it times out, and for as long as Retry-After asks, up to an hour", () => {
    const late = judgeCall({ kind: "timed out", reason: "No answer came within 10 seconds." }, fresh, moment);
    expect(late.putOff).toBe("silent");
    expect(judgeCall(answered(503, "", 2 * hourMs), fresh, moment).putOff).toEqual({ ms: hourMs });
  });
});
