import { z } from "zod";
import { clickedBy, gaveUp, hardBounce, type Notice, openedBy, transient } from "../../../core/mail/notices/notice";
import { type ReceivedMail, receivedMail } from "../../../core/mail/notices/received";
import type { Report } from "../../../core/mail/status";

/** The name of the metadata field that contains the tag of an email. */
export const postmarkTagName = "petrel";

const PostmarkEvent = z.object({
  RecordType: z.string(),
  /** The fields of a bounce or a complaint. */
  ID: z.union([z.number(), z.string()]).nullish(),
  MessageID: z.string().nullish(),
  Metadata: z.record(z.string(), z.unknown()).nullish(),
  Type: z.string().nullish(),
  Description: z.string().nullish(),
  Details: z.string().nullish(),
  /** The fields of an open or a click. */
  ReceivedAt: z.string().nullish(),
  UserAgent: z.string().nullish(),
  OriginalLink: z.string().nullish(),
});
type PostmarkEvent = z.infer<typeof PostmarkEvent>;

/** Reads a webhook event of Postmark. Returns null when it does not concern an email's outcome, or is not an event. */
export function readPostmarkEvent(event: unknown): Notice | null {
  const { data } = PostmarkEvent.safeParse(event);
  const report = data && reportOf(data);
  if (!report) return null;
  const tag = data.Metadata?.[postmarkTagName];
  return {
    tag: typeof tag === "string" ? tag : null,
    providerMessageId: data.MessageID ?? null,
    id: data.ID ? String(data.ID) : null,
    report,
  };
}

function reportOf(event: PostmarkEvent): Notice["report"] | null {
  switch (event.RecordType) {
    case "Delivery":
      return { kind: "delivered" };
    case "SpamComplaint":
      return { kind: "complained" };
    case "Bounce":
      return bounceOf(event);
    case "Open":
      return openedBy({ timestamp: event.ReceivedAt, userAgent: event.UserAgent });
    case "Click":
      return clickedBy({ timestamp: event.ReceivedAt, userAgent: event.UserAgent, link: event.OriginalLink });
    default:
      return null;
  }
}

const hardTypes = new Set(["HardBounce", "BadEmailAddress"]);

/**
 * The types of Postmark's final bounces. For other types Postmark still tries (`Transient`, `DnsError`), a mailbox
 * answers automatically (`AutoResponder`, `AddressChange`, `ChallengeVerification`), or Postmark cannot classify the
 * answer (`Unknown`).
 */
const finalBounces = new Set([
  "SoftBounce",
  "SpamNotification",
  "VirusNotification",
  "Blocked",
  "DMARCPolicy",
  "ManuallyDeactivated",
  "Unconfirmed",
  "SMTPApiError",
  "TemplateRenderingFailed",
]);

/** Types of incoming messages that say nothing about our mail. */
const unrelated = new Set(["Subscribe", "Unsubscribe", "OpenRelayTest", "InboundError"]);

function bounceOf({ Type, Description, Details }: PostmarkEvent): Report | null {
  const type = Type ?? "Unknown";
  if (unrelated.has(type)) return null;
  if (type === "SpamComplaint") return { kind: "complained" };
  const reasons = [type, Details || Description];
  if (hardTypes.has(type)) return hardBounce(reasons);
  return finalBounces.has(type) ? gaveUp(reasons) : transient(reasons);
}

const Mailbox = z.object({ Email: z.string().nullish() });

/** A call of Postmark's inbound webhook. Unlike Postmark's events, it has no `RecordType`. */
const PostmarkInbound = z.object({
  RecordType: z.undefined().optional(),
  MessageID: z.string(),
  FromFull: Mailbox,
  ToFull: z.array(Mailbox).nullish(),
  CcFull: z.array(Mailbox).nullish(),
  /** The recipient of the envelope: for forwarded mail, the address that Postmark assigned to the server. */
  OriginalRecipient: z.string().nullish(),
  Headers: z.array(z.object({ Name: z.string(), Value: z.string() })).nullish(),
});

/** Reads an email that Postmark received. Returns null for any other notice, and for mail without a sender. */
export function readPostmarkInbound(event: unknown): ReceivedMail | null {
  const { data } = PostmarkInbound.safeParse(event);
  if (!data) return null;
  return receivedMail({
    id: data.MessageID,
    from: data.FromFull.Email,
    delivered: [data.OriginalRecipient],
    written: [...(data.ToFull ?? []), ...(data.CcFull ?? [])].map(({ Email }) => Email),
    headers: data.Headers?.map(({ Name: name, Value: value }) => ({ name, value })),
  });
}
