import { describe, expect, it } from "vitest";
import { readPostmarkEvent } from "../../../../src/core/mail/notices/postmark";

const base = { MessageID: "pm-1", Metadata: { petrel: "p_e" }, MessageStream: "outbound" };
const bounce = (Type: string, more: object = {}) => ({ ...base, RecordType: "Bounce", Type, ...more });

describe("an event of Postmark", () => {
  it.each<[what: string, event: unknown, report: unknown]>([
    ["a delivery", { ...base, RecordType: "Delivery", Details: "250 OK" }, { kind: "delivered" }],
    ["a complaint", { ...base, RecordType: "SpamComplaint", Type: "SpamComplaint" }, { kind: "complained" }],
    ["a complaint filed as a bounce", bounce("SpamComplaint"), { kind: "complained" }],
    [
      "a hard bounce",
      bounce("HardBounce", { Description: "The server was unable to deliver", Details: "550 unknown user" }),
      { kind: "bounced", bounceType: "hard", reason: "HardBounce: 550 unknown user" },
    ],
    [
      "a bad address",
      bounce("BadEmailAddress", { Description: "Not valid", Details: "" }),
      { kind: "bounced", bounceType: "hard", reason: "BadEmailAddress: Not valid" },
    ],
    ["a soft bounce", bounce("SoftBounce"), { kind: "bounced", bounceType: "soft", reason: "SoftBounce" }],
    ["a block", bounce("Blocked"), { kind: "bounced", bounceType: "soft", reason: "Blocked" }],
    [
      "a bounce of a type we do not know",
      bounce("NewType"),
      { kind: "bounced", bounceType: "soft", reason: "NewType" },
    ],
  ])("%s", (_, event, report) => {
    expect(readPostmarkEvent(event)).toEqual({ tag: "p_e", providerMessageId: "pm-1", report });
  });

  it("without our tag has only its own id", () => {
    const event = { RecordType: "Delivery", MessageID: "pm-1", Metadata: {} };
    expect(readPostmarkEvent(event)).toEqual({ tag: null, providerMessageId: "pm-1", report: { kind: "delivered" } });
  });
});

it.each([
  [bounce("AutoResponder")],
  [bounce("AddressChange")],
  [bounce("Unsubscribe")],
  [{ ...base, RecordType: "Open" }],
  [{ ...base, RecordType: "Click" }],
  [{ ...base, RecordType: "SubscriptionChange", SuppressSending: true }],
  [{ MessageID: "pm-1" }],
  [null],
  ["hello"],
])("%j says nothing of a mail's fate", (event) => {
  expect(readPostmarkEvent(event)).toBeNull();
});
