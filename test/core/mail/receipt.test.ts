import { expect, it } from "vitest";
import type { Verdict } from "../../../src/core/mail/breaker";
import { type Receipt, verdictOf } from "../../../src/core/mail/receipt";

const accepted: Receipt = { kind: "accepted", providerMessageId: "1", reports: [] };
const refused: Receipt = { kind: "refused", reason: "" };
const unavailable: Receipt = { kind: "unavailable", reason: "" };
const blocked: Receipt = { kind: "blocked", reason: "" };
const throttled = (retryAfterMs?: number): Receipt => ({ kind: "throttled", reason: "", retryAfterMs });
const threw = null;

it.each<[what: string, round: (Receipt | null)[], verdict: Verdict]>([
  ["no calls", [], { kind: "unused" }],
  ["accepted", [accepted], { kind: "answered" }],
  ["refused", [refused], { kind: "answered" }],
  ["busy for its own sake", [{ kind: "busy", reason: "" }], { kind: "answered" }],
  ["one answer among failures", [threw, unavailable, accepted], { kind: "answered" }],
  ["one answer beside a refusal of the account", [blocked, accepted], { kind: "throttled", askedMs: 0 }],
  ["one answer beside a 429", [throttled(7), accepted], { kind: "throttled", askedMs: 7 }],
  ["all threw", [threw, threw], { kind: "failed", calls: 2 }],
  ["5xx", [unavailable, threw], { kind: "failed", calls: 2 }],
  ["the account refused", [unavailable, throttled(), blocked], { kind: "blocked" }],
  ["throttled", [throttled(5), throttled(9), threw], { kind: "throttled", askedMs: 9 }],
  ["throttled without a wish", [throttled()], { kind: "throttled", askedMs: 0 }],
])("a round says of the account: %s", (_, round, verdict) => {
  expect(verdictOf(round, round.length)).toEqual(verdict);
});

it("counts calls, not their mails", () => {
  expect(verdictOf([threw, threw, threw], 1)).toEqual({ kind: "failed", calls: 1 });
});
