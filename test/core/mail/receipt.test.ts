import { expect, it } from "vitest";
import type { Verdict } from "../../../src/core/mail/breaker";
import { type Receipt, verdictOf, verdictOfRound } from "../../../src/core/mail/receipt";

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

const times = <T>(count: number, one: T): T[] => Array.from({ length: count }, () => one);

it.each<[what: string, calls: (Receipt | null)[], verdict: Verdict]>([
  ["no calls", [], { kind: "unused" }],
  ["all accepted", times(25, accepted), { kind: "answered" }],
  ["an outage in the middle", [...times(10, accepted), ...times(5, threw)], { kind: "failed", calls: 5 }],
  ["three at the end", [...times(10, accepted), threw, unavailable, threw], { kind: "failed", calls: 3 }],
  ["two at the end", [...times(10, accepted), threw, threw], { kind: "answered" }],
  ["an answer after three", [threw, threw, threw, accepted], { kind: "answered" }],
  ["few, and none answered", [threw, threw], { kind: "failed", calls: 2 }],
  ["refused from the middle on", [...times(10, accepted), ...times(5, blocked)], { kind: "blocked" }],
  ["refused, and served after that", [accepted, blocked, accepted], { kind: "throttled", askedMs: 0 }],
  ["a 429 in the middle", [...times(10, accepted), throttled(7), accepted], { kind: "throttled", askedMs: 7 }],
])("a round of one call after another says: %s", (_, calls, verdict) => {
  expect(verdictOfRound(calls.map((receipt) => [receipt]))).toEqual(verdict);
});
