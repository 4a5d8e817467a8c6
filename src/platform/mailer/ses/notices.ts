import { z } from "zod";
import { clickedBy, gaveUp, hardBounce, type Notice, openedBy, transient } from "../../../core/mail/notices/notice";
import { type ReceivedMail, receivedMail } from "../../../core/mail/notices/received";
import type { Report } from "../../../core/mail/status";

/** The name of the message tag that every email carries. */
export const sesTagName = "petrel";

/** The header that repeats the tag. Notifications of an identity contain no message tags, but may contain headers. */
export const sesTagHeader = "X-Petrel-Tag";

const SesEvent = z.object({
  /**
   * Set for events of an event destination. A notification of an identity has `notificationType` instead, and no tags.
   */
  eventType: z.string().nullish(),
  notificationType: z.string().nullish(),
  mail: z.object({
    messageId: z.string(),
    tags: z.record(z.string(), z.array(z.string())).nullish(),
    headers: z.array(z.object({ name: z.string(), value: z.string().nullish() })).nullish(),
  }),
  bounce: z
    .object({
      bounceType: z.string(),
      bounceSubType: z.string().nullish(),
      /**
       * `action` and `diagnosticCode` are present only when the bounce came with a delivery status notification (RFC
       * 3464).
       */
      bouncedRecipients: z
        .array(z.object({ action: z.string().nullish(), diagnosticCode: z.string().nullish() }))
        .nullish(),
      feedbackId: z.string().nullish(),
    })
    .nullish(),
  complaint: z
    .object({
      complaintFeedbackType: z.string().nullish(),
      complaintSubType: z.string().nullish(),
      feedbackId: z.string().nullish(),
    })
    .nullish(),
  deliveryDelay: z
    .object({
      delayType: z.string().nullish(),
      timestamp: z.string().nullish(),
      delayedRecipients: z.array(z.object({ diagnosticCode: z.string().nullish() })).nullish(),
    })
    .nullish(),
  open: z.object({ timestamp: z.string().nullish(), userAgent: z.string().nullish() }).nullish(),
  click: z
    .object({ timestamp: z.string().nullish(), userAgent: z.string().nullish(), link: z.string().nullish() })
    .nullish(),
  reject: z.object({ reason: z.string().nullish() }).nullish(),
  failure: z.object({ errorMessage: z.string().nullish() }).nullish(),
});
type SesEvent = z.infer<typeof SesEvent>;

/**
 * Reads an event of SES, as published to SNS. Returns null when it does not concern an email's outcome, or is not an
 * event.
 */
export function readSesEvent(event: unknown): Notice | null {
  const { data } = SesEvent.safeParse(event);
  const report = data && reportOf(data);
  if (!report) return null;
  return { tag: tagOf(data.mail), providerMessageId: data.mail.messageId, id: idOf(data), report };
}

function tagOf({ tags, headers }: SesEvent["mail"]): string | null {
  const header = headers?.find(({ name }) => name.toLowerCase() === sesTagHeader.toLowerCase());
  return tags?.[sesTagName]?.[0] ?? header?.value ?? null;
}

/**
 * Returns the id of an event. A delay has no id, so its time is used: repeated delays of the same mail have different
 * times.
 */
function idOf({ bounce, complaint, deliveryDelay }: SesEvent): string | null {
  return bounce?.feedbackId ?? complaint?.feedbackId ?? deliveryDelay?.timestamp ?? null;
}

function reportOf({ eventType, notificationType, ...event }: SesEvent): Notice["report"] | null {
  switch (eventType ?? notificationType) {
    case "Delivery":
      return { kind: "delivered" };
    case "Complaint":
      return complaintOf(event.complaint ?? {});
    case "Bounce":
      return event.bounce ? bounceOf(event.bounce) : null;
    case "DeliveryDelay":
      return transient([
        ["Delayed", event.deliveryDelay?.delayType].filter(Boolean).join("/"),
        event.deliveryDelay?.delayedRecipients?.[0]?.diagnosticCode,
      ]);
    case "Open":
      return openedBy(event.open ?? {});
    case "Click":
      return clickedBy(event.click ?? {});
    case "Reject":
      // SES accepted the mail and then found a virus in it. The mail is not delivered, but the recipient is not to
      // blame.
      return gaveUp(["Rejected", event.reject?.reason]);
    case "Rendering Failure":
      return gaveUp(["Rendering failure", event.failure?.errorMessage]);
    default:
      return null;
  }
}

/**
 * Feedback types (RFC 5965) that are not complaints: a recipient moved the mail out of the spam folder, or an email
 * server reports a broken signature or a virus.
 */
const notComplaints = new Set(["not-spam", "auth-failure", "virus"]);
const accountList = "OnAccountSuppressionList";

/**
 * Reads a complaint. The account's own suppression list also contains bounces and complaints about other projects. Mail
 * that SES does not send because of that list therefore counts as not sent, and not as a bounce or complaint about this
 * project.
 */
function complaintOf({ complaintFeedbackType, complaintSubType }: NonNullable<SesEvent["complaint"]>): Report | null {
  if (complaintSubType === accountList) return gaveUp([`Complaint/${accountList}`]);
  return notComplaints.has(complaintFeedbackType ?? "") ? null : { kind: "complained" };
}

/** The subtypes of bounces that the account itself reports, and not the recipient's server. */
const ownRefusals = new Set([accountList, "UnsubscribedRecipient"]);

function bounceOf({ bounceType, bounceSubType: given, bouncedRecipients }: NonNullable<SesEvent["bounce"]>): Report {
  const bounceSubType = given ?? "";
  const [recipient] = bouncedRecipients ?? [];
  const reasons = [[bounceType, bounceSubType].filter(Boolean).join("/"), recipient?.diagnosticCode];
  if (bounceType === "Permanent") return ownRefusals.has(bounceSubType) ? gaveUp(reasons) : hardBounce(reasons);
  // SES reports a soft bounce, of the type `Transient` or `Undetermined`, when it stops trying. Automatic answers are
  // reported with the same types, but without a delivery status and without a subtype that names a cause.
  const isVague = bounceType === "Undetermined" || bounceSubType === "General" || bounceSubType === "";
  const action = recipient?.action?.toLowerCase();
  return action === "failed" || (action === undefined && !isVague) ? gaveUp(reasons) : transient(reasons);
}

const SesVerdict = z.object({ status: z.string() }).nullish();

const SesReceived = z.object({
  notificationType: z.literal("Received"),
  receipt: z.object({
    recipients: z.array(z.string()),
    virusVerdict: SesVerdict,
    spamVerdict: SesVerdict,
    dmarcVerdict: SesVerdict,
  }),
  mail: z.object({
    messageId: z.string(),
    commonHeaders: z.object({
      from: z.array(z.string()).nullish(),
      to: z.array(z.string()).nullish(),
      cc: z.array(z.string()).nullish(),
    }),
    headers: z.array(z.object({ name: z.string(), value: z.string() })).nullish(),
  }),
});

/**
 * Reads an email that SES received. Returns null for any other notification, for mail without a sender, and when SES
 * found spam, a virus or a forged sender.
 */
export function readSesReceived(event: unknown): ReceivedMail | null {
  const { data } = SesReceived.safeParse(event);
  if (!data) return null;
  const { receipt, mail } = data;
  const verdicts = [receipt.virusVerdict, receipt.spamVerdict, receipt.dmarcVerdict];
  if (verdicts.some((verdict) => verdict?.status === "FAIL")) return null;
  const { from, to, cc } = mail.commonHeaders;
  return receivedMail({
    ...{ id: mail.messageId, from: from?.[0], headers: mail.headers },
    ...{ delivered: receipt.recipients, written: [...(to ?? []), ...(cc ?? [])] },
  });
}
