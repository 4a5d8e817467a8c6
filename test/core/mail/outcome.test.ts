import { describe, expect, it } from "vitest";
import {
  ended,
  type Lost,
  type MailOutcome,
  outcomeOf,
  outcomeOfAbandoned,
  outcomeOfLost,
  type Try,
} from "../../../src/core/mail/outcome";
import type { Receipt } from "../../../src/core/mail/receipt";
import { maxAttempts, retryDelayMs } from "../../../src/core/mail/retry";
import { hourMs, minuteMs, secondMs } from "../../../src/core/time";

const now = Date.UTC(2026, 0, 31, 9);
const windowMs = 24 * hourMs;

/** A first try just now, at a provider that does not recognise a mail that comes again. */
const first: Try = {
  attempt: 1,
  handedAt: now - secondMs,
  uncertainSince: null,
  idempotencyWindowMs: 0,
  now,
  random: 0,
};

const bare: MailOutcome = {
  status: "QUEUED",
  error: null,
  providerMessageId: null,
  retryAt: null,
  uncertainSince: null,
  isUntried: false,
  reports: [],
};

const accepted: Receipt = { kind: "accepted", providerMessageId: "m1", reports: [{ kind: "delivered" }] };
const busy: Receipt = { kind: "busy", reason: "429 Slow down" };
const refused: Receipt = { kind: "refused", reason: "400 No such sender" };
const lost: Receipt = { kind: "unknown", reason: "Timed out" };

describe("accepted", () => {
  it.each<[what: string, made: Partial<Try>]>([
    ["at the first try", {}],
    ["at the last try", { attempt: maxAttempts }],
    ["after an uncertain one", { attempt: 2, uncertainSince: now - minuteMs, idempotencyWindowMs: windowMs }],
  ])("%s is SENT, and nothing is uncertain any more", (_, made) => {
    expect(outcomeOf(accepted, { ...first, ...made })).toEqual<MailOutcome>({
      ...bare,
      status: "SENT",
      providerMessageId: "m1",
      reports: [{ kind: "delivered" }],
    });
  });
});

describe("busy", () => {
  it.each([1, 2, 3, 4, 5, 6, 7])("after try %i goes back in line, with nothing uncertain", (attempt) => {
    expect(outcomeOf(busy, { ...first, attempt })).toEqual<MailOutcome>({
      ...bare,
      error: "429 Slow down",
      retryAt: now + retryDelayMs(attempt, 0),
    });
  });

  it("comes back when the provider asks, if that is later", () => {
    const asked: Receipt = { kind: "busy", reason: "429", retryAfterMs: 10 * minuteMs };
    expect(outcomeOf(asked, first).retryAt).toBe(now + 10 * minuteMs);
    expect(outcomeOf({ ...asked, retryAfterMs: 1 }, first).retryAt).toBe(now + 5 * secondMs);
  });

  it.each([maxAttempts, maxAttempts + 1])("after try %i is FAILED, and says why", (attempt) => {
    expect(outcomeOf(busy, { ...first, attempt })).toEqual<MailOutcome>({
      ...bare,
      status: "FAILED",
      error: `Given up after ${attempt} tries: 429 Slow down`,
    });
  });
});

describe("refused", () => {
  it.each([1, maxAttempts])("at try %i is FAILED at once, and says why", (attempt) => {
    expect(outcomeOf(refused, { ...first, attempt })).toEqual<MailOutcome>({
      ...bare,
      status: "FAILED",
      error: "400 No such sender",
    });
  });
});

describe.each(["throttled", "blocked"] as const)("%s", (kind) => {
  const receipt: Receipt = { kind, reason: "the account" };

  it.each([1, maxAttempts, maxAttempts + 9])(
    "uses up no try, and is due at once: the lane says when (try %i)",
    (attempt) => {
      expect(outcomeOf(receipt, { ...first, attempt })).toEqual<MailOutcome>({
        ...bare,
        error: "the account",
        retryAt: now,
        isUntried: true,
      });
    },
  );

  it("leaves an uncertain mail uncertain while its key is known, and UNKNOWN after", () => {
    const uncertain = { ...first, uncertainSince: now - minuteMs };
    expect(outcomeOf(receipt, { ...uncertain, idempotencyWindowMs: windowMs })).toMatchObject({
      ...{ status: "QUEUED", uncertainSince: now - minuteMs, isUntried: true },
    });
    expect(outcomeOf(receipt, uncertain)).toMatchObject({ status: "UNKNOWN" });
  });
});

it("unavailable uses up a try, as busy does", () => {
  expect(outcomeOf({ ...busy, kind: "unavailable" }, first)).toEqual(outcomeOf(busy, first));
});

describe("no answer", () => {
  it("from a provider without a window is UNKNOWN at once: the mail may be out", () => {
    expect(outcomeOf(lost, first)).toEqual<MailOutcome>({
      ...bare,
      status: "UNKNOWN",
      error: "Timed out",
      uncertainSince: first.handedAt,
    });
  });

  it("inside the provider's window goes back in line, uncertain since it was handed over", () => {
    expect(outcomeOf(lost, { ...first, idempotencyWindowMs: windowMs })).toEqual<MailOutcome>({
      ...bare,
      error: "Timed out",
      retryAt: now + 5 * secondMs,
      uncertainSince: first.handedAt,
    });
  });

  it("at the last try is UNKNOWN, also inside the window", () => {
    expect(outcomeOf(lost, { ...first, attempt: maxAttempts, idempotencyWindowMs: windowMs })).toMatchObject({
      status: "UNKNOWN",
      retryAt: null,
      uncertainSince: first.handedAt,
    });
  });
});

describe("a mail with an earlier uncertain try", () => {
  const since = now - hourMs;
  const again: Try = { ...first, attempt: 3, uncertainSince: since, idempotencyWindowMs: windowMs };

  it.each<[what: string, receipt: Receipt, made: Partial<Try>, status: MailOutcome["status"]]>([
    ["busy, inside the window", busy, {}, "QUEUED"],
    ["no answer, inside the window", lost, {}, "QUEUED"],
    ["refused, inside the window", refused, {}, "UNKNOWN"],
    ["busy, past the window", busy, { idempotencyWindowMs: hourMs }, "UNKNOWN"],
    ["no answer, past the window", lost, { idempotencyWindowMs: hourMs }, "UNKNOWN"],
    ["refused, past the window", refused, { idempotencyWindowMs: hourMs }, "UNKNOWN"],
    ["busy, at a provider without a window", busy, { idempotencyWindowMs: 0 }, "UNKNOWN"],
    ["no answer, at a provider without a window", lost, { idempotencyWindowMs: 0 }, "UNKNOWN"],
    ["busy, at the last try", busy, { attempt: maxAttempts }, "UNKNOWN"],
    ["no answer, at the last try", lost, { attempt: maxAttempts }, "UNKNOWN"],
    ["refused, at the last try", refused, { attempt: maxAttempts }, "UNKNOWN"],
  ])("%s, stays uncertain since the first of them: %s", (_, receipt, made, status) => {
    expect(outcomeOf(receipt, { ...again, ...made })).toMatchObject({ status, uncertainSince: since });
  });

  it("keeps what the provider said, not a guess of ours", () => {
    expect(outcomeOf(refused, again).error).toBe("400 No such sender");
  });

  // The next try is 45 s away, and a minute is kept free at the window's end.
  it.each<[windowMs: number, status: MailOutcome["status"]]>([
    [hourMs + minuteMs + 46 * secondMs, "QUEUED"],
    [hourMs + minuteMs + 45 * secondMs, "UNKNOWN"],
    [hourMs + minuteMs, "UNKNOWN"],
  ])("is tried again only if the next try falls inside the window (%i ms: %s)", (idempotencyWindowMs, status) => {
    expect(outcomeOf(busy, { ...again, idempotencyWindowMs }).status).toBe(status);
  });

  it("is not put off past the window because the provider asked for it", () => {
    const asked: Receipt = { kind: "busy", reason: "429", retryAfterMs: 25 * minuteMs };
    const idempotencyWindowMs = hourMs + 20 * minuteMs;
    expect(outcomeOf(busy, { ...again, idempotencyWindowMs })).toMatchObject({ status: "QUEUED" });
    expect(outcomeOf(asked, { ...again, idempotencyWindowMs })).toMatchObject({ status: "UNKNOWN", retryAt: null });
  });
});

describe("whatever is answered, and however often", () => {
  const ages = [0, secondMs, minuteMs, hourMs, 30 * hourMs];
  const tries = [accepted, busy, refused, lost].flatMap((receipt) =>
    [1, 2, maxAttempts - 1, maxAttempts, maxAttempts + 1].flatMap((attempt) =>
      [0, minuteMs, hourMs, windowMs].flatMap((idempotencyWindowMs) =>
        [null, ...ages.map((age) => now - age)].map((uncertainSince) => ({
          receipt,
          made: { ...first, attempt, idempotencyWindowMs, uncertainSince },
        })),
      ),
    ),
  );

  it("calls no mail FAILED that may be out", () => {
    const uncertain = tries.filter(({ receipt, made }) => receipt.kind === "unknown" || made.uncertainSince !== null);
    const statuses = uncertain.map(({ receipt, made }) => outcomeOf(receipt, made).status);
    expect(new Set(statuses)).toEqual(new Set(["SENT", "QUEUED", "UNKNOWN"]));
  });

  it("calls no mail UNKNOWN of which everything is known", () => {
    const certain = tries.filter(({ receipt, made }) => receipt.kind !== "unknown" && made.uncertainSince === null);
    const statuses = certain.map(({ receipt, made }) => outcomeOf(receipt, made).status);
    expect(new Set(statuses)).toEqual(new Set(["SENT", "QUEUED", "FAILED"]));
  });

  it("tries an uncertain mail again only while the provider would recognise it", () => {
    for (const { receipt, made } of tries) {
      const { status, retryAt, uncertainSince } = outcomeOf(receipt, made);
      if (status !== "QUEUED" || uncertainSince === null) continue;
      expect(retryAt).toBeLessThan(uncertainSince + made.idempotencyWindowMs - minuteMs);
    }
  });

  it("says when a queued mail is tried next, in the future, and of no other mail", () => {
    for (const { receipt, made } of tries) {
      const { status, retryAt } = outcomeOf(receipt, made);
      if (status === "QUEUED") expect(retryAt).toBeGreaterThan(made.now);
      else expect(retryAt).toBeNull();
    }
  });

  it("never forgets since when a mail is uncertain", () => {
    for (const { receipt, made } of tries) {
      const { status, uncertainSince } = outcomeOf(receipt, made);
      if (status === "SENT" || made.uncertainSince === null) continue;
      expect(uncertainSince).toBe(made.uncertainSince);
    }
  });

  it("never tries more than eight times", () => {
    const spent = tries.filter(({ made }) => made.attempt >= maxAttempts);
    expect(spent.map(({ receipt, made }) => outcomeOf(receipt, made).status)).not.toContain("QUEUED");
  });
});

it("keeps 500 characters of a reason", () => {
  expect(outcomeOf({ kind: "refused", reason: "x".repeat(10_000) }, first).error).toBe("x".repeat(500));
});

it.each(["FAILED", "SUPPRESSED", "CANCELLED"] as const)("%s without the provider being asked says why", (status) => {
  expect(ended(status, "Because")).toEqual<MailOutcome>({ ...bare, status, error: "Because" });
});

describe("a mail that consumers took up and were never heard of again", () => {
  it.each([0, 1])("is tried once more after %i of them", (abandonments) => {
    expect(outcomeOfAbandoned(abandonments, null)).toBeNull();
  });

  it.each([2, 99])("is FAILED after %i of them", (abandonments) => {
    expect(outcomeOfAbandoned(abandonments, null)?.status).toBe("FAILED");
  });

  it("is never FAILED when it may be out", () => {
    expect(outcomeOfAbandoned(2, now - hourMs)).toMatchObject({ status: "UNKNOWN", uncertainSince: now - hourMs });
  });
});

describe("a mail that was handed over by somebody who was never heard of again", () => {
  const handed: Lost = { handedAt: now - minuteMs, uncertainSince: null, idempotencyWindowMs: 0, now };

  it.each<[what: string, lost: Partial<Lost>, outcome: Partial<MailOutcome>]>([
    ["no window: UNKNOWN", { handedAt: now - minuteMs }, { status: "UNKNOWN", uncertainSince: now - minuteMs }],
    [
      "inside the window: back in line, uncertain",
      { handedAt: now - hourMs, idempotencyWindowMs: windowMs },
      { status: "QUEUED", uncertainSince: now - hourMs },
    ],
    [
      "past the window: UNKNOWN",
      { handedAt: now - 25 * hourMs, idempotencyWindowMs: windowMs },
      { status: "UNKNOWN", uncertainSince: now - 25 * hourMs },
    ],
    [
      "a moment before the window's last minute: back in line",
      { handedAt: now - windowMs + minuteMs + 1, idempotencyWindowMs: windowMs },
      { status: "QUEUED", uncertainSince: now - windowMs + minuteMs + 1 },
    ],
    [
      "in the window's last minute: UNKNOWN",
      { handedAt: now - windowMs + minuteMs, idempotencyWindowMs: windowMs },
      { status: "UNKNOWN", uncertainSince: now - windowMs + minuteMs },
    ],
    [
      "twice: uncertain since the first time",
      { handedAt: now - minuteMs, uncertainSince: now - hourMs, idempotencyWindowMs: windowMs },
      { status: "QUEUED", uncertainSince: now - hourMs },
    ],
    [
      "twice, the first past the window: UNKNOWN",
      { handedAt: now - minuteMs, uncertainSince: now - 25 * hourMs, idempotencyWindowMs: windowMs },
      { status: "UNKNOWN", uncertainSince: now - 25 * hourMs },
    ],
  ])("%s", (_, lost, outcome) => {
    const { error, ...rest } = outcomeOfLost({ ...handed, ...lost });
    const isQueued = outcome.status === "QUEUED";
    const retryAt = isQueued ? now : null;
    expect(rest).toEqual({
      retryAt,
      isUntried: false,
      uncertainSince: null,
      providerMessageId: null,
      reports: [],
      ...outcome,
    });
    expect(error === null).toBe(isQueued);
  });
});
