import { describe, expect, it } from "vitest";
import { readSesEvent } from "../../../../src/core/mail/notices/ses";

const mail = { messageId: "0100-1", tags: { petrel: ["p_e"], "ses:configuration-set": ["petrel"] } };
const bounce = (bounceType: string, bounceSubType = "General", diagnosticCode?: string) => ({
  eventType: "Bounce",
  mail,
  bounce: { bounceType, bounceSubType, bouncedRecipients: [{ emailAddress: "a@example.com", diagnosticCode }] },
});

describe("an event of SES", () => {
  it.each<[what: string, event: unknown, report: unknown]>([
    ["a delivery", { eventType: "Delivery", mail, delivery: {} }, { kind: "delivered" }],
    ["a complaint", { eventType: "Complaint", mail, complaint: {} }, { kind: "complained" }],
    [
      "a permanent bounce",
      bounce("Permanent", "General", "smtp; 550 5.1.1 user unknown"),
      { kind: "bounced", bounceType: "hard", reason: "Permanent/General: smtp; 550 5.1.1 user unknown" },
    ],
    [
      "a bounce by the list of SES itself",
      bounce("Permanent", "Suppressed"),
      { kind: "bounced", bounceType: "hard", reason: "Permanent/Suppressed" },
    ],
    [
      "a bounce by the account's list",
      bounce("Permanent", "OnAccountSuppressionList"),
      { kind: "bounced", bounceType: "soft", reason: "Permanent/OnAccountSuppressionList" },
    ],
    [
      "a transient bounce",
      bounce("Transient", "MailboxFull"),
      { kind: "bounced", bounceType: "soft", reason: "Transient/MailboxFull" },
    ],
    [
      "an undetermined bounce",
      bounce("Undetermined", "Undetermined"),
      { kind: "bounced", bounceType: "soft", reason: "Undetermined/Undetermined" },
    ],
    [
      "a rejection",
      { eventType: "Reject", mail, reject: { reason: "Bad content" } },
      { kind: "bounced", bounceType: "soft", reason: "Rejected: Bad content" },
    ],
  ])("%s", (_, event, report) => {
    expect(readSesEvent(event)).toEqual({ tag: "p_e", providerMessageId: "0100-1", report });
  });

  it("of an identity has another name for its type, and no tags", () => {
    const event = { notificationType: "Delivery", mail: { messageId: "0100-1" } };
    expect(readSesEvent(event)).toEqual({ tag: null, providerMessageId: "0100-1", report: { kind: "delivered" } });
  });

  it("of an identity says which mail it is of when it carries the headers", () => {
    const headers = [{ name: "x-petrel-tag", value: "p_e" }];
    const event = { notificationType: "Delivery", mail: { messageId: "0100-1", headers } };
    expect(readSesEvent(event)?.tag).toBe("p_e");
  });
});

it.each([
  [{ eventType: "Send", mail }],
  [{ eventType: "DeliveryDelay", mail }],
  [{ eventType: "Open", mail }],
  [{ eventType: "Click", mail }],
  [{ eventType: "Bounce", mail }],
  [{ eventType: "Something new", mail }],
  [{ eventType: "Delivery" }],
  [{}],
  [null],
  ["Successfully validated SNS topic for Amazon SES event publishing."],
  [[]],
])("%j says nothing of a mail's fate", (event) => {
  expect(readSesEvent(event)).toBeNull();
});
