import { describe, expect, it } from "vitest";
import { afterCheck, type DomainState } from "../../../src/core/domains/outcome";
import { dayMs, hourMs, minuteMs } from "../../../src/core/time";

const now = Date.UTC(2026, 0, 31);
const pending: DomainState = { status: "PENDING", verifiedAt: null, failingSince: null, createdAt: now - hourMs };
const verified: DomainState = { ...pending, status: "VERIFIED", verifiedAt: now - dayMs };

describe("a waiting domain", () => {
  it("is verified by the first check that passes", () => {
    expect(afterCheck(pending, true, now)).toMatchObject({ status: "VERIFIED", verifiedAt: now, failingSince: null });
    expect(afterCheck({ ...pending, status: "FAILED" }, true, now).status).toBe("VERIFIED");
  });

  it.each([
    ["with every tick", 0, 4 * minuteMs],
    ["with every tick, up to three days", 3 * dayMs - 1, 4 * minuteMs],
    ["every hour after three days", 3 * dayMs, hourMs],
    ["more and more rarely", 30 * dayMs, 10 * hourMs],
    ["once a day at last", 1000 * dayMs, dayMs],
  ])("is looked at %s", (_, age, pace) => {
    expect(afterCheck({ ...pending, createdAt: now - age }, false, now)).toEqual({
      status: "PENDING",
      verifiedAt: null,
      failingSince: null,
      nextCheckAt: now + pace,
    });
  });
});

describe("a verified domain", () => {
  it("stays as it is, and is looked at every hour", () => {
    expect(afterCheck(verified, true, now)).toEqual({
      status: "VERIFIED",
      verifiedAt: verified.verifiedAt,
      failingSince: null,
      nextCheckAt: now + 59 * minuteMs,
    });
  });

  it.each([
    ["the first failure", null, now],
    ["an hour of failures", now - hourMs, now - hourMs],
    ["a moment before 72 hours", now - 72 * hourMs + 1, now - 72 * hourMs + 1],
  ])("survives %s, and remembers when they began", (_, failingSince, remembered) => {
    expect(afterCheck({ ...verified, failingSince }, false, now)).toMatchObject({
      status: "VERIFIED",
      verifiedAt: verified.verifiedAt,
      failingSince: remembered,
    });
  });

  it("waits again after 72 hours of failures", () => {
    const after = afterCheck({ ...verified, failingSince: now - 72 * hourMs }, false, now);
    expect(after).toMatchObject({ status: "PENDING", verifiedAt: null });
  });

  it("forgets its failures with the first check that passes", () => {
    expect(afterCheck({ ...verified, failingSince: now - 71 * hourMs }, true, now).failingSince).toBeNull();
  });
});
