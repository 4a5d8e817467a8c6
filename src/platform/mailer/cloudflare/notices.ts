import { z } from "zod";
import { gaveUp, hardBounce, type Notice, transient } from "../../../core/mail/notices/notice";
import type { Report } from "../../../core/mail/status";

const prefix = "cf.email.sending.message.";

/** An event of the service: https://developers.cloudflare.com/email-service/reference/event-subscriptions */
const CloudflareEvent = z.object({
  type: z.templateLiteral([prefix, z.string()]),
  payload: z.object({
    eventId: z.string().nullish(),
    messageId: z.string(),
    sender: z.string(),
    recipient: z.string(),
    delivery: z.object({ smtpResponse: z.string().nullish() }).nullish(),
    bounce: z.object({ type: z.string().nullish(), reason: z.string().nullish() }).nullish(),
    failure: z.object({ reason: z.string().nullish() }).nullish(),
    rejection: z.object({ reason: z.string().nullish(), detail: z.string().nullish() }).nullish(),
  }),
});
type CloudflareEvent = z.infer<typeof CloudflareEvent>;

/**
 * Reads an event of Cloudflare Email Service. Returns null for any other message, and for an event that is not about an
 * outcome.
 */
export function readCloudflareEvent(event: unknown): Notice | null {
  const { data } = CloudflareEvent.safeParse(event);
  const report = data && reportOf(data);
  if (!report) return null;
  const { eventId, messageId, sender, recipient } = data.payload;
  return {
    tag: null,
    providerMessageId: messageIdIn(messageId),
    id: eventId ?? null,
    report,
    addresses: { sender, recipient },
  };
}

/** Returns the id in a Message-ID header. The angle brackets are not part of it (RFC 5322 section 3.6.4). */
export function messageIdIn(written: string): string {
  return written.replace(/^<(.*)>$/, "$1");
}

function reportOf({ type, payload }: CloudflareEvent): Report | null {
  const { delivery, bounce, failure, rejection } = payload;
  switch (type.slice(prefix.length)) {
    case "delivered":
      return { kind: "delivered" };
    case "complained":
      return { kind: "complained" };
    case "deferred":
      return transient([bounce?.reason ?? delivery?.smtpResponse]);
    // The mail failed permanently, or the service gave up after temporary failures.
    case "bounced":
      return bounce?.type === "hard" ? hardBounce([bounce.reason]) : gaveUp([bounce?.reason ?? delivery?.smtpResponse]);
    case "failed":
      return gaveUp(["Failed", failure?.reason]);
    // The service rejects mail because of its policy or its suppression list, which all senders of the account share.
    case "rejected":
      return gaveUp(["Rejected by the provider", rejection?.detail ?? rejection?.reason]);
    default:
      return null;
  }
}
