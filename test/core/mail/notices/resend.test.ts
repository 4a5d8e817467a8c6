import { describe, expect, it } from "vitest";
import { readResendEvent } from "../../../../src/core/mail/notices/resend";

const data = { email_id: "re-1", to: ["a@example.com"], tags: { petrel: "p_e", other: "x" } };
const event = (type: string, more: object = {}) => ({ type, created_at: "2026-01-31", data: { ...data, ...more } });

describe("an event of Resend", () => {
  it.each<[what: string, event: unknown, report: unknown]>([
    ["a delivery", event("email.delivered"), { kind: "delivered" }],
    ["a complaint", event("email.complained"), { kind: "complained" }],
    [
      "a bounce",
      event("email.bounced", { bounce: { type: "Permanent", subType: "General", message: "No such user" } }),
      { kind: "bounced", bounceType: "hard", reason: "Permanent/General: No such user" },
    ],
    [
      "a bounce without details",
      event("email.bounced"),
      { kind: "bounced", bounceType: "hard", reason: "The provider gave no reason" },
    ],
    [
      "a transient bounce",
      event("email.bounced", { bounce: { type: "Transient", subType: "MailboxFull", message: null } }),
      { kind: "bounced", bounceType: "soft", reason: "Transient/MailboxFull" },
    ],
    [
      "a bounce by its suppression list",
      event("email.bounced", { bounce: { type: "Permanent", subType: "OnAccountSuppressionList" } }),
      { kind: "bounced", bounceType: "soft", reason: "Permanent/OnAccountSuppressionList" },
    ],
    [
      "a mail that could not be sent",
      event("email.failed", { failed: { reason: "reached_daily_quota" } }),
      { kind: "bounced", bounceType: "soft", reason: "Failed: reached_daily_quota" },
    ],
    [
      "a mail that it would not send",
      event("email.suppressed"),
      { kind: "bounced", bounceType: "soft", reason: "Suppressed by the provider" },
    ],
  ])("%s", (_, given, report) => {
    expect(readResendEvent(given)).toEqual({ tag: "p_e", providerMessageId: "re-1", report });
  });

  it.each<[what: string, tags: unknown, tag: string | null]>([
    ["a list", [{ name: "petrel", value: "p_e" }], "p_e"],
    ["a list without ours", [{ name: "x", value: "y" }], null],
    ["an object without ours", { x: "y" }, null],
    ["something else", 5, null],
    ["nothing", undefined, null],
  ])("finds the tag in %s", (_, tags, tag) => {
    expect(readResendEvent(event("email.delivered", { tags }))?.tag).toBe(tag);
  });
});

it.each([
  [event("email.sent")],
  [event("email.opened")],
  [event("email.clicked")],
  [event("email.delivery_delayed")],
  [event("email.received")],
  [{ type: "contact.created", data: { id: "c" } }],
  [{ type: "email.delivered" }],
  [null],
  [{}],
])("%j says nothing of a mail's fate", (given) => {
  expect(readResendEvent(given)).toBeNull();
});
