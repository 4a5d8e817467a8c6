import { describe, expect, it } from "vitest";
import { readPostmarkEvent } from "../../../../src/platform/mailer/postmark/notices";

const base = { MessageID: "pm-1", Metadata: { petrel: "p_e" }, MessageStream: "outbound" };
const bounce = (Type: string, more: object = {}) => ({
  ...{ ...base, RecordType: "Bounce", ID: 42, Type, ServerID: 23, Email: "a@example.com", From: "hello@acme.test" },
  ...{ BouncedAt: "2026-01-31T12:00:00.0000000Z", DumpAvailable: true, Inactive: false, CanActivate: true },
  ...more,
});

const hard = (reason: string) => ({ kind: "bounced", bounceType: "hard", reason });
const gaveUp = (reason: string) => ({ kind: "bounced", bounceType: "soft", reason });
const transient = (reason: string) => ({ ...gaveUp(reason), isTransient: true });
const at = Date.parse("2026-01-31T12:00:00Z");
const complained = { kind: "complained" };

describe("an event of Postmark", () => {
  it.each<[what: string, event: unknown, report: unknown]>([
    ["a delivery", { ...base, RecordType: "Delivery", Details: "250 OK" }, { kind: "delivered" }],
    [
      "a complaint",
      { ...base, RecordType: "SpamComplaint", ID: 42, Type: "SpamComplaint", TypeCode: 100001 },
      complained,
    ],
    [
      "an open",
      {
        ...{
          ...base,
          RecordType: "Open",
          FirstOpen: true,
          Recipient: "a@example.com",
          ReadSeconds: 16,
          Tag: "welcome",
        },
        ...{
          ReceivedAt: "2026-01-31T12:00:00.0000000Z",
          Platform: "Desktop",
          UserAgent: "Mozilla/5.0 (Macintosh) Gecko",
        },
        ...{ Client: { Name: "Chrome" }, OS: { Name: "macOS" }, Geo: { CountryISOCode: "NL", IP: "192.0.2.1" } },
      },
      { kind: "open", at, isAutomated: false },
    ],
    [
      "a click",
      {
        ...{
          ...base,
          RecordType: "Click",
          ClickLocation: "HTML",
          OriginalLink: "https://x.test/?a=1",
          Platform: "Mobile",
        },
        ...{ ReceivedAt: "2026-01-31T12:00:00Z", UserAgent: "Mozilla/5.0 (iPhone)", Recipient: "a@example.com" },
      },
      { kind: "click", at, link: "https://x.test/?a=1", isAutomated: false },
    ],
    [
      "an open through a proxy, which does not say when",
      { ...base, RecordType: "Open", UserAgent: "YahooMailProxy; https://help.yahoo.com" },
      { kind: "open", at: null, isAutomated: true },
    ],
    ["a complaint filed as a bounce", bounce("SpamComplaint"), complained],
    [
      "a hard bounce",
      bounce("HardBounce", { Description: "The server was unable to deliver", Details: "550 unknown user" }),
      hard("HardBounce: 550 unknown user"),
    ],
    [
      "a bad address",
      bounce("BadEmailAddress", { Description: "Not valid", Details: "" }),
      hard("BadEmailAddress: Not valid"),
    ],
    ...[
      "SoftBounce",
      "Blocked",
      "DMARCPolicy",
      "SpamNotification",
      "VirusNotification",
      "ManuallyDeactivated",
      "Unconfirmed",
      "SMTPApiError",
      "TemplateRenderingFailed",
    ].map((type): [string, unknown, unknown] => [`its last word ${type}`, bounce(type), gaveUp(type)]),
    ...[
      "Transient",
      "DnsError",
      "AutoResponder",
      "AddressChange",
      "ChallengeVerification",
      "Unknown",
      "ATypeThatWeDoNotKnow",
    ].map((type): [string, unknown, unknown] => [`the passing ${type}`, bounce(type), transient(type)]),
  ])("%s", (_, event, report) => {
    const notice = readPostmarkEvent(event);
    expect(notice).toMatchObject({ tag: "p_e", providerMessageId: "pm-1" });
    expect(notice?.report).toEqual(report);
  });

  it("has an id that a repeat shares", () => {
    expect(readPostmarkEvent(bounce("AutoResponder"))?.id).toBe("42");
    expect(readPostmarkEvent({ ...base, RecordType: "Delivery" })?.id).toBeNull();
  });

  it("without our tag has only its own id", () => {
    const event = { RecordType: "Delivery", MessageID: "pm-1", Metadata: {} };
    const notice = { tag: null, providerMessageId: "pm-1", id: null, report: { kind: "delivered" } };
    expect(readPostmarkEvent(event)).toEqual(notice);
  });
});

it.each([
  [bounce("Subscribe")],
  [bounce("Unsubscribe")],
  [bounce("OpenRelayTest")],
  [bounce("InboundError")],
  [{ ...base, RecordType: "SubscriptionChange", SuppressSending: true, SuppressionReason: "HardBounce" }],
  [{ ...base, RecordType: "SubscriptionChange", SuppressSending: false, Origin: "Customer" }],
  [{ MessageID: "pm-1" }],
  [null],
  ["hello"],
])("%j says nothing of a mail's fate", (event) => {
  expect(readPostmarkEvent(event)).toBeNull();
});
