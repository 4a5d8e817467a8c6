// What each provider documents that it posts, whole: the fields that we do not read are there too, because they must not
// hinder. Names and addresses are our own.
// SES: https://docs.aws.amazon.com/ses/latest/dg/event-publishing-retrieving-sns-examples.html
//   and https://docs.aws.amazon.com/ses/latest/dg/receiving-email-notifications-examples.html
// Resend: https://resend.com/docs/webhooks/event-types and https://resend.com/docs/webhooks/emails/received
// Postmark: https://postmarkapp.com/developer/webhooks/webhooks-overview
//   and https://postmarkapp.com/developer/webhooks/inbound-webhook

/** The mail that a notice is about. */
export interface Noticed {
  tag: string;
  messageId: string;
  to: string;
  /** Of notices of one kind about one mail, the first, the second and so on. */
  notice?: number;
}

export const reportKinds = ["delivered", "delayed", "gave up", "hard", "complained"] as const;
export type ReportKind = (typeof reportKinds)[number];
/** Kinds that say nothing of a mail's outcome, and one that no provider has. */
export type OtherKind = "sent" | "opened" | "clicked" | "unknown";

const at = "2026-01-31T12:00:00.000Z";

function sesMail({ tag, messageId, to }: Noticed) {
  const headers = [
    { name: "From", value: "News <news@acme.test>" },
    { name: "To", value: to },
    { name: "Subject", value: "News" },
    { name: "MIME-Version", value: "1.0" },
  ];
  return {
    timestamp: at,
    source: "News <news@acme.test>",
    sourceArn: "arn:aws:ses:eu-west-1:123456789012:identity/acme.test",
    sendingAccountId: "123456789012",
    messageId,
    destination: [to],
    headersTruncated: false,
    headers,
    commonHeaders: { from: ["News <news@acme.test>"], to: [to], messageId, subject: "News" },
    tags: {
      "ses:configuration-set": ["petrel"],
      "ses:source-ip": ["192.0.2.0"],
      "ses:from-domain": ["acme.test"],
      "ses:caller-identity": ["petrel"],
      petrel: [tag],
    },
  };
}

export function sesNotice(kind: ReportKind | OtherKind, noticed: Noticed): object {
  const { to, notice = 1 } = noticed;
  const mail = sesMail(noticed);
  const feedbackId = `0100-${kind}-${notice}`;
  const bounced = (action: string, status: string, diagnosticCode: string) => ({
    bouncedRecipients: [{ emailAddress: to, action, status, diagnosticCode }],
    ...{ timestamp: at, feedbackId, reportingMTA: "dsn; mta.example.com" },
  });
  switch (kind) {
    case "delivered": {
      const delivery = { timestamp: at, processingTimeMillis: 3_981, recipients: [to] };
      return {
        eventType: "Delivery",
        mail,
        delivery: { ...delivery, smtpResponse: "250 2.6.0 Message received", reportingMTA: "mta.example.com" },
      };
    }
    case "delayed": {
      const delayedRecipients = [
        { emailAddress: to, status: "4.4.1", diagnosticCode: "smtp; 421 4.4.1 Unable to connect" },
      ];
      const deliveryDelay = {
        timestamp: `2026-01-31T12:0${notice}:00.000Z`,
        delayType: "TransientCommunicationFailure",
      };
      return {
        eventType: "DeliveryDelay",
        mail,
        deliveryDelay: { ...deliveryDelay, expirationTime: "2026-01-31T23:00:00.914Z", delayedRecipients },
      };
    }
    case "gave up": {
      const of = bounced("failed", "4.2.2", "smtp; 452 4.2.2 The mailbox is full");
      return { eventType: "Bounce", mail, bounce: { bounceType: "Transient", bounceSubType: "MailboxFull", ...of } };
    }
    case "hard": {
      const of = bounced("failed", "5.1.1", "smtp; 550 5.1.1 user unknown");
      return { eventType: "Bounce", mail, bounce: { bounceType: "Permanent", bounceSubType: "General", ...of } };
    }
    case "complained":
      return {
        eventType: "Complaint",
        mail,
        complaint: {
          ...{ complainedRecipients: [{ emailAddress: to }], timestamp: at, feedbackId, complaintSubType: null },
          ...{ userAgent: "AnyCompany Feedback Loop (V0.01)", complaintFeedbackType: "abuse", arrivalDate: at },
        },
      };
    case "sent":
      return { eventType: "Send", mail, send: {} };
    case "opened":
      return { eventType: "Open", mail, open: { ipAddress: "192.0.2.1", timestamp: at, userAgent: "Mozilla/5.0" } };
    case "clicked":
      return {
        eventType: "Click",
        mail,
        click: { ipAddress: "192.0.2.1", timestamp: at, link: "https://acme.test", linkTags: {} },
      };
    case "unknown":
      return { eventType: "Levitation", mail };
  }
}

export function resendNotice(kind: ReportKind | OtherKind, { tag, messageId, to }: Noticed): object {
  const data = {
    broadcast_id: "8b146471-e88e-4322-86af-016cd36fd216",
    created_at: at,
    email_id: messageId,
    message_id: "<111-222-333@email.example.com>",
    from: "News <news@acme.test>",
    to: [to],
    subject: "News",
    template_id: "43f68331-0622-4e15-8202-246a0388854b",
    tags: { petrel: tag },
  };
  const event = (type: string, more: object = {}) => ({ type, created_at: at, data: { ...data, ...more } });
  switch (kind) {
    case "delivered":
      return event("email.delivered");
    case "delayed":
      return event("email.delivery_delayed");
    case "gave up":
      return event("email.bounced", {
        bounce: { message: "The mailbox is full", subType: "MailboxFull", type: "Transient" },
      });
    case "hard": {
      const bounce = { message: "The recipient's address is not known", subType: "General", type: "Permanent" };
      return event("email.bounced", { bounce: { ...bounce, diagnosticCode: ["smtp; 550 5.1.1 user unknown"] } });
    }
    case "complained":
      return event("email.complained");
    case "sent":
      return event("email.sent");
    case "opened":
      return event("email.opened", { open: { ipAddress: "192.0.2.1", timestamp: at, userAgent: "Mozilla/5.0" } });
    case "clicked":
      return event("email.clicked", {
        click: { ipAddress: "192.0.2.1", link: "https://acme.test", timestamp: at, userAgent: "" },
      });
    case "unknown":
      return event("email.levitated");
  }
}

export function postmarkNotice(kind: ReportKind | OtherKind, { tag, messageId, to, notice = 1 }: Noticed): object {
  const of = { MessageID: messageId, ServerID: 23, MessageStream: "outbound", Tag: "", Metadata: { petrel: tag } };
  const bounced = (Type: string, TypeCode: number, Details: string) => ({
    ...of,
    ...{
      RecordType: "Bounce",
      ID: 40 + notice,
      Type,
      TypeCode,
      Name: Type,
      Details,
      Email: to,
      From: "news@acme.test",
    },
    ...{ Description: "The server was unable to deliver your message.", BouncedAt: at, Subject: "News" },
    ...{ DumpAvailable: true, Inactive: true, CanActivate: true, Content: "<Full dump>" },
  });
  switch (kind) {
    case "delivered":
      return { ...of, RecordType: "Delivery", Recipient: to, DeliveredAt: at, Details: "250 OK" };
    case "delayed":
      return bounced("Transient", 2, "smtp;421 4.4.1 Unable to connect");
    case "gave up":
      return bounced("SoftBounce", 4096, "smtp;452 4.2.2 The mailbox is full");
    case "hard":
      return bounced("HardBounce", 1, "smtp;550 5.1.1 user unknown");
    case "complained":
      return { ...bounced("SpamComplaint", 100001, ""), RecordType: "SpamComplaint" };
    case "sent":
      return {
        ...of,
        RecordType: "SubscriptionChange",
        Recipient: to,
        Origin: "Recipient",
        SuppressSending: false,
        ChangedAt: at,
      };
    case "opened":
      return {
        ...of,
        RecordType: "Open",
        FirstOpen: true,
        Recipient: to,
        ReceivedAt: at,
        Platform: "WebMail",
        UserAgent: "Mozilla/5.0",
      };
    case "clicked":
      return {
        ...of,
        RecordType: "Click",
        ClickLocation: "HTML",
        OriginalLink: "https://acme.test",
        Recipient: to,
        ReceivedAt: at,
      };
    case "unknown":
      return { ...of, RecordType: "Levitation" };
  }
}

/** A mail that a provider received. */
export interface Incoming {
  id: string;
  from: string;
  /** Where the mail server brought it. */
  delivered?: string[];
  /** The To header. */
  to: string[];
  headers?: { name: string; value: string }[];
}

export function sesReceived({ id, from, delivered, to, headers = [] }: Incoming, dmarc = "PASS") {
  const pass = { status: "PASS" };
  return {
    notificationType: "Received",
    receipt: {
      ...{ timestamp: at, processingTimeMillis: 222, recipients: delivered ?? to },
      ...{
        spamVerdict: pass,
        virusVerdict: pass,
        spfVerdict: pass,
        dkimVerdict: pass,
        dmarcVerdict: { status: dmarc },
      },
      action: { type: "SNS", topicArn: "arn:aws:sns:eu-west-1:123456789012:petrel", encoding: "UTF8" },
    },
    mail: {
      ...{ timestamp: at, source: "0000014fbe1c09cf@amazonses.com", messageId: id, destination: to },
      headersTruncated: false,
      headers: [{ name: "Return-Path", value: "<0000014fbe1c09cf@amazonses.com>" }, ...headers],
      commonHeaders: { returnPath: "0000014fbe1c09cf@amazonses.com", from: [from], date: at, to, subject: "Re: News" },
    },
    content: "Return-Path: <61967230@example.com>\r\n\r\nThe whole mail",
  };
}

export function resendReceived({ id, from, delivered, to }: Incoming) {
  const data = {
    email_id: id,
    created_at: at,
    from,
    to,
    bcc: [],
    cc: [],
    message_id: "<example+123>",
    subject: "Re: News",
  };
  const attachments = [
    { id: "2a0c9ce0", filename: "a.png", content_type: "image/png", content_disposition: "inline", content_id: "1" },
  ];
  return {
    ...{ type: "email.received", created_at: at },
    data: { ...data, ...(delivered && { received_for: delivered }), attachments },
  };
}

export function postmarkReceived({ id, from, delivered, to, headers = [] }: Incoming) {
  const [, name = "", address = from] = /^(.*?)\s*<([^<>]*)>$/.exec(from) ?? [];
  const full = (Email: string) => ({ Email, Name: "", MailboxHash: "" });
  return {
    ...{ FromName: name, MessageStream: "inbound", From: address, FromFull: { ...full(address), Name: name } },
    ...{ To: to.join(", "), ToFull: to.map(full), Cc: "", CcFull: [], Bcc: "", BccFull: [] },
    ...{ OriginalRecipient: delivered?.[0] ?? "451d9b70cf9364d23ff6f9d51d870251569e@inbound.postmarkapp.com" },
    ...{ Subject: "Re: News", MessageID: id, ReplyTo: "", MailboxHash: "", Date: "Sat, 31 Jan 2026 12:00:00 +0000" },
    ...{ TextBody: "Thank you", HtmlBody: "<p>Thank you</p>", StrippedTextReply: "Thank you", Tag: "" },
    Headers: [
      { Name: "X-Spam-Status", Value: "No" },
      ...headers.map(({ name: Name, value: Value }) => ({ Name, Value })),
    ],
    Attachments: [],
  };
}
