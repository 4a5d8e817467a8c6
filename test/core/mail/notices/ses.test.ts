import { describe, expect, it } from "vitest";
import { readSesEvent } from "../../../../src/platform/mailer/ses/notices";

const timestamp = "2026-01-31T12:00:01.000Z";

const mail = {
  timestamp: "2026-01-31T12:00:00.000Z",
  messageId: "0100-1",
  source: "hello@acme.test",
  sendingAccountId: "123456789012",
  destination: ["a@example.com"],
  headersTruncated: false,
  tags: { petrel: ["p_e"], "ses:configuration-set": ["petrel"] },
};

/** With what a delivery status notification adds, if one came with the bounce. */
const bounce = (bounceType: string, bounceSubType = "General", status: object = {}) => ({
  eventType: "Bounce",
  mail,
  bounce: {
    ...{ bounceType, bounceSubType, feedbackId: "0100-bounce", timestamp: "2026-01-31T12:00:01.000Z" },
    bouncedRecipients: [{ emailAddress: "a@example.com", ...status }],
  },
});
const failed = (code: string) => ({ action: "failed", status: code.slice(0, 5), diagnosticCode: `smtp; ${code}` });

const complaint = (more: object = {}) => ({
  eventType: "Complaint",
  mail,
  complaint: {
    complainedRecipients: [{ emailAddress: "a@example.com" }],
    timestamp: "2026-01-31T12:00:01.000Z",
    feedbackId: "0100-complaint",
    complaintSubType: null,
    ...more,
  },
});

const delay = (delayType: string) => ({
  eventType: "DeliveryDelay",
  mail,
  deliveryDelay: {
    timestamp: "2026-01-31T12:10:00.000Z",
    delayType,
    expirationTime: "2026-02-01T12:00:00.000Z",
    delayedRecipients: [
      { emailAddress: "a@example.com", status: "4.4.1", diagnosticCode: "smtp; 421 4.4.1 Unable to connect" },
    ],
  },
});

const hard = (reason: string) => ({ kind: "bounced", bounceType: "hard", reason });
const gaveUp = (reason: string) => ({ kind: "bounced", bounceType: "soft", reason });
const transient = (reason: string) => ({ ...gaveUp(reason), isTransient: true });
const complained = { kind: "complained" };

describe("an event of SES", () => {
  it.each<[what: string, event: unknown, report: unknown]>([
    [
      "a delivery",
      { eventType: "Delivery", mail, delivery: { smtpResponse: "250 ok", recipients: ["a@example.com"] } },
      { kind: "delivered" },
    ],
    [
      "an open",
      { eventType: "Open", mail, open: { ipAddress: "192.0.2.1", timestamp, userAgent: "Mozilla/5.0 (iPhone)" } },
      { kind: "open", at: Date.parse(timestamp), isAutomated: false },
    ],
    [
      "a click",
      {
        ...{ eventType: "Click", mail },
        click: {
          ipAddress: "192.0.2.1",
          link: "https://x.test/",
          linkTags: { a: ["b"] },
          timestamp,
          userAgent: "Mimecast",
        },
      },
      { kind: "click", at: Date.parse(timestamp), link: "https://x.test/", isAutomated: true },
    ],
    ["an open that says nothing", { eventType: "Open", mail }, { kind: "open", at: null, isAutomated: false }],
    ["a complaint", complaint(), complained],
    ["abuse", complaint({ complaintFeedbackType: "abuse" }), complained],
    ["fraud", complaint({ complaintFeedbackType: "fraud" }), complained],
    ["another complaint", complaint({ complaintFeedbackType: "other" }), complained],
    [
      "a complaint that the account's list foresaw",
      complaint({ complaintSubType: "OnAccountSuppressionList" }),
      gaveUp("Complaint/OnAccountSuppressionList"),
    ],
    [
      "a permanent bounce",
      bounce("Permanent", "General", failed("550 5.1.1 user unknown")),
      hard("Permanent/General: smtp; 550 5.1.1 user unknown"),
    ],
    ["a bounce without the address", bounce("Permanent", "NoEmail"), hard("Permanent/NoEmail")],
    ["a bounce by the list of SES itself", bounce("Permanent", "Suppressed"), hard("Permanent/Suppressed")],
    [
      "a bounce by the account's list",
      bounce("Permanent", "OnAccountSuppressionList"),
      gaveUp("Permanent/OnAccountSuppressionList"),
    ],
    [
      "a bounce by a list of contacts",
      bounce("Permanent", "UnsubscribedRecipient"),
      gaveUp("Permanent/UnsubscribedRecipient"),
    ],
    ["a full mailbox", bounce("Transient", "MailboxFull"), gaveUp("Transient/MailboxFull")],
    ["a message too large", bounce("Transient", "MessageTooLarge"), gaveUp("Transient/MessageTooLarge")],
    ["refused content", bounce("Transient", "ContentRejected"), gaveUp("Transient/ContentRejected")],
    ["a refused attachment", bounce("Transient", "AttachmentRejected"), gaveUp("Transient/AttachmentRejected")],
    [
      "the end of all tries",
      bounce("Transient", "General", failed("4.4.7 Message expired")),
      gaveUp("Transient/General: smtp; 4.4.7 Message expired"),
    ],
    ["an out-of-office answer", bounce("Transient", "General"), transient("Transient/General")],
    [
      "a server that says it is late",
      bounce("Transient", "MailboxFull", { action: "delayed", status: "4.2.2" }),
      transient("Transient/MailboxFull"),
    ],
    [
      "a bounce of which SES makes nothing",
      bounce("Undetermined", "Undetermined"),
      transient("Undetermined/Undetermined"),
    ],
    [
      "an undetermined failure",
      bounce("Undetermined", "Undetermined", failed("550 go away")),
      gaveUp("Undetermined/Undetermined: smtp; 550 go away"),
    ],
    [
      "a delay",
      delay("TransientCommunicationFailure"),
      transient("Delayed/TransientCommunicationFailure: smtp; 421 4.4.1 Unable to connect"),
    ],
    ["a rejection", { eventType: "Reject", mail, reject: { reason: "Bad content" } }, gaveUp("Rejected: Bad content")],
    [
      "a rendering failure",
      {
        eventType: "Rendering Failure",
        mail,
        failure: { errorMessage: "Attribute 'x' is not present", templateName: "t" },
      },
      gaveUp("Rendering failure: Attribute 'x' is not present"),
    ],
  ])("%s", (_, event, report) => {
    expect(readSesEvent(event)).toMatchObject({ tag: "p_e", providerMessageId: "0100-1", report });
    expect(readSesEvent(event)?.report).toEqual(report);
  });

  it.each<[what: string, event: unknown, id: string | null]>([
    ["a bounce", bounce("Permanent"), "0100-bounce"],
    ["a complaint", complaint(), "0100-complaint"],
    ["a delay", delay("General"), "2026-01-31T12:10:00.000Z"],
    ["a delivery", { eventType: "Delivery", mail }, null],
  ])("has an id that a repeat shares: %s", (_, event, id) => {
    expect(readSesEvent(event)?.id).toBe(id);
  });

  it("of an identity has another name for its type, and no tags", () => {
    const event = { notificationType: "Delivery", mail: { messageId: "0100-1" } };
    const notice = { tag: null, providerMessageId: "0100-1", id: null, report: { kind: "delivered" } };
    expect(readSesEvent(event)).toEqual(notice);
  });

  it("of an identity says which mail it is of when it carries the headers", () => {
    const headers = [{ name: "x-petrel-tag", value: "p_e" }];
    const event = { notificationType: "Delivery", mail: { messageId: "0100-1", headers } };
    expect(readSesEvent(event)?.tag).toBe("p_e");
  });

  it("is read also where it has null in place of what it does not say", () => {
    const nothing = { eventType: null, bounce: null, complaint: null, open: null, click: null };
    const told = bounce("Permanent", "General", { action: null, status: null, diagnosticCode: null });
    const headers = [
      { name: "Received", value: null },
      { name: "X-Petrel-Tag", value: "p_e" },
    ];
    const event = {
      ...nothing,
      ...told,
      eventType: null,
      notificationType: "Bounce",
      mail: { ...mail, tags: null, headers },
    };
    expect(readSesEvent(event)).toMatchObject({ tag: "p_e", report: hard("Permanent/General") });
    const vague = {
      ...told,
      bounce: { ...told.bounce, bounceType: "Transient", bounceSubType: null, feedbackId: null },
    };
    expect(readSesEvent(vague)).toMatchObject({ id: null, report: transient("Transient") });
  });
});

it.each([
  [complaint({ complaintFeedbackType: "not-spam" })],
  [complaint({ complaintFeedbackType: "auth-failure" })],
  [complaint({ complaintFeedbackType: "virus" })],
  [{ eventType: "Send", mail }],
  [{ eventType: "Subscription", mail }],
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
