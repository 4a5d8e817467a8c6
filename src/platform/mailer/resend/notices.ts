import { z } from "zod";
import { clickedBy, gaveUp, hardBounce, type Notice, openedBy, transient } from "../../../core/mail/notices/notice";
import { type ReceivedMail, receivedMail } from "../../../core/mail/notices/received";
import type { Report } from "../../../core/mail/status";

/** The name of the tag that every email carries. */
export const resendTagName = "petrel";

const ResendEvent = z.object({
  type: z.string(),
  created_at: z.string().nullish(),
  data: z.object({
    email_id: z.string().nullish(),
    /** Tags are sent as a list. Events may contain them as a list or as an object. */
    tags: z
      .union([z.array(z.object({ name: z.string(), value: z.string() })), z.record(z.string(), z.string())])
      .nullish()
      .catch(null),
    bounce: z
      .object({ type: z.string().nullish(), subType: z.string().nullish(), message: z.string().nullish() })
      .nullish(),
    click: z
      .object({ timestamp: z.string().nullish(), link: z.string().nullish(), userAgent: z.string().nullish() })
      .nullish(),
    failed: z.object({ reason: z.string().nullish() }).nullish(),
    suppressed: z.object({ message: z.string().nullish() }).nullish(),
  }),
});
type ResendEvent = z.infer<typeof ResendEvent>;
type ResendData = ResendEvent["data"];

/**
 * Reads a webhook event of Resend. `id` comes from the headers of the call. Returns null when the event does not
 * concern an email's outcome, or is malformed.
 */
export function readResendEvent(event: unknown, id: string | null): Notice | null {
  const { data: parsed } = ResendEvent.safeParse(event);
  const report = parsed && reportOf(parsed);
  if (!report) return null;
  return { tag: tagOf(parsed.data), providerMessageId: parsed.data.email_id ?? null, id, report };
}

function tagOf({ tags }: ResendData): string | null {
  if (!tags) return null;
  const value = Array.isArray(tags) ? tags.find(({ name }) => name === resendTagName)?.value : tags[resendTagName];
  return value ?? null;
}

function reportOf({ type, created_at, data }: ResendEvent): Notice["report"] | null {
  switch (type) {
    case "email.delivered":
      return { kind: "delivered" };
    case "email.complained":
      return { kind: "complained" };
    case "email.bounced":
      return bounceOf(data.bounce ?? {});
    case "email.opened":
      // Resend does not report which program loaded the image.
      return openedBy({ timestamp: created_at });
    case "email.clicked":
      return clickedBy({ timestamp: created_at, ...data.click });
    case "email.delivery_delayed":
      return transient(["Delayed"]);
    // Resend could not send an email that it had accepted, or the address is on Resend's suppression list, which all
    // projects of the account share. Neither case is evidence about the recipient.
    case "email.failed":
      return gaveUp(["Failed", data.failed?.reason]);
    case "email.suppressed":
      return gaveUp(["Suppressed by the provider", data.suppressed?.message]);
    default:
      return null;
  }
}

/**
 * Reads a bounce. `email.bounced` is permanent unless its type says otherwise. A transient bounce without a cause may
 * be an automatic answer of the mailbox, such as "out of office", so it is not final.
 */
function bounceOf({ type, subType, message }: NonNullable<ResendData["bounce"]>): Report {
  const reasons = [[type, subType].filter(Boolean).join("/"), message];
  if (type === "Undetermined" || (type === "Transient" && (!subType || subType === "General"))) {
    return transient(reasons);
  }
  return type === "Transient" || subType === "OnAccountSuppressionList" ? gaveUp(reasons) : hardBounce(reasons);
}

const ResendReceived = z.object({
  type: z.literal("email.received"),
  data: z.object({
    email_id: z.string(),
    from: z.string(),
    /** The recipients of the envelope. */
    received_for: z.array(z.string()).nullish(),
    to: z.array(z.string()).nullish(),
    cc: z.array(z.string()).nullish(),
  }),
});

/** Reads an email that Resend received. Returns null for any other event, and for mail without a sender. */
export function readResendReceived(event: unknown): ReceivedMail | null {
  const { data } = ResendReceived.safeParse(event);
  if (!data) return null;
  const { email_id, from, received_for, to, cc } = data.data;
  return receivedMail({ id: email_id, from, delivered: received_for, written: [...(to ?? []), ...(cc ?? [])] });
}
