import { describe, expect, it } from "vitest";
import { readResendEvent } from "../../../../src/platform/mailer/resend/notices";

const data = { email_id: "re-1", to: ["a@example.com"], tags: { petrel: "p_e", other: "x" } };
const event = (type: string, more: object = {}) => ({ type, created_at: "2026-01-31", data: { ...data, ...more } });

const hard = (reason: string) => ({ kind: "bounced", bounceType: "hard", reason });
const gaveUp = (reason: string) => ({ kind: "bounced", bounceType: "soft", reason });
const transient = (reason: string) => ({ ...gaveUp(reason), isTransient: true });
const bounce = (type: string, subType: string, message: string | null = null) =>
  event("email.bounced", { bounce: { type, subType, message } });

describe("an event of Resend", () => {
  it.each<[what: string, event: unknown, report: unknown]>([
    ["a delivery", event("email.delivered"), { kind: "delivered" }],
    ["a complaint", event("email.complained"), { kind: "complained" }],
    ["an open", event("email.opened"), { kind: "open", at: Date.parse("2026-01-31"), isAutomated: false }],
    [
      "a click",
      event("email.clicked", {
        click: {
          ipAddress: "192.0.2.1",
          link: "https://x.test/",
          timestamp: "2026-01-31T12:00:00Z",
          userAgent: "Mozilla/5.0 (X11)",
        },
      }),
      { kind: "click", at: Date.parse("2026-01-31T12:00:00Z"), link: "https://x.test/", isAutomated: false },
    ],
    [
      "a click that says nothing",
      event("email.clicked"),
      { kind: "click", at: Date.parse("2026-01-31"), isAutomated: false },
    ],
    ["a bounce", bounce("Permanent", "General", "No such user"), hard("Permanent/General: No such user")],
    ["a bounce by the list of its carrier", bounce("Permanent", "Suppressed"), hard("Permanent/Suppressed")],
    ["a bounce without details", event("email.bounced"), hard("The provider gave no reason")],
    ["a full mailbox", bounce("Transient", "MailboxFull"), gaveUp("Transient/MailboxFull")],
    ["refused content", bounce("Transient", "ContentRejected"), gaveUp("Transient/ContentRejected")],
    ["an out-of-office answer", bounce("Transient", "General"), transient("Transient/General")],
    [
      "a bounce of which it makes nothing",
      bounce("Undetermined", "Undetermined"),
      transient("Undetermined/Undetermined"),
    ],
    ["a delay", event("email.delivery_delayed"), transient("Delayed")],
    [
      "a bounce by its suppression list",
      bounce("Permanent", "OnAccountSuppressionList"),
      gaveUp("Permanent/OnAccountSuppressionList"),
    ],
    [
      "a mail that could not be sent",
      event("email.failed", { failed: { reason: "reached_daily_quota" } }),
      gaveUp("Failed: reached_daily_quota"),
    ],
    [
      "a mail that it would not send",
      event("email.suppressed", { suppressed: { message: "On the list", type: "OnAccountSuppressionList" } }),
      gaveUp("Suppressed by the provider: On the list"),
    ],
  ])("%s", (_, given, report) => {
    const notice = { tag: "p_e", providerMessageId: "re-1", id: "msg-1", report };
    expect(readResendEvent(given, "msg-1")).toEqual(notice);
  });

  it.each<[what: string, tags: unknown, tag: string | null]>([
    ["a list", [{ name: "petrel", value: "p_e" }], "p_e"],
    ["a list without ours", [{ name: "x", value: "y" }], null],
    ["an object without ours", { x: "y" }, null],
    ["something else", 5, null],
    ["nothing", undefined, null],
  ])("finds the tag in %s", (_, tags, tag) => {
    expect(readResendEvent(event("email.delivered", { tags }), null)?.tag).toBe(tag);
  });
});

it.each([
  [event("email.sent")],
  [event("email.scheduled")],
  [event("email.received")],
  [{ type: "contact.created", data: { id: "c" } }],
  [{ type: "email.delivered" }],
  [null],
  [{}],
])("%j says nothing of a mail's fate", (given) => {
  expect(readResendEvent(given, "msg-1")).toBeNull();
});
