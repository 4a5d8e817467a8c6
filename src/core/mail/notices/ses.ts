import { z } from "zod";
import type { Report } from "../status";
import { bounced, type Notice } from "./notice";

/** The name of the message tag of every mail. */
export const sesTagName = "petrel";

/** The same as a header: notifications of an identity carry no tags, but may carry headers. */
export const sesTagHeader = "X-Petrel-Tag";

const SesEvent = z.object({
  /** Set by an event destination; a notification of an identity has `notificationType`, and no tags. */
  eventType: z.string().optional(),
  notificationType: z.string().optional(),
  mail: z.object({
    messageId: z.string(),
    tags: z.record(z.string(), z.array(z.string())).optional(),
    headers: z.array(z.object({ name: z.string(), value: z.string() })).optional(),
  }),
  bounce: z
    .object({
      bounceType: z.string(),
      bounceSubType: z.string().optional(),
      bouncedRecipients: z.array(z.object({ diagnosticCode: z.string().optional() })).optional(),
    })
    .optional(),
  reject: z.object({ reason: z.string().optional() }).optional(),
});
type SesEvent = z.infer<typeof SesEvent>;

/** Reads an event of SES, as published to SNS. Null when it does not concern a mail's outcome, or is not an event. */
export function readSesEvent(event: unknown): Notice | null {
  const { data } = SesEvent.safeParse(event);
  const report = data && reportOf(data);
  if (!report) return null;
  return { tag: tagOf(data.mail), providerMessageId: data.mail.messageId, report };
}

function tagOf({ tags, headers }: SesEvent["mail"]): string | null {
  const header = headers?.find(({ name }) => name.toLowerCase() === sesTagHeader.toLowerCase());
  return tags?.[sesTagName]?.[0] ?? header?.value ?? null;
}

function reportOf({ eventType, notificationType, bounce, reject }: SesEvent): Report | null {
  switch (eventType ?? notificationType) {
    case "Delivery":
      return { kind: "delivered" };
    case "Complaint":
      return { kind: "complained" };
    case "Bounce":
      return bounce ? bounceOf(bounce) : null;
    case "Reject":
      // SES accepted the mail and found a virus in it: it is not delivered, and the recipient is not to blame.
      return bounced("soft", ["Rejected", reject?.reason]);
    default:
      return null;
  }
}

/**
 * The account's own suppression list also contains complaints to other projects. So this counts as a bounce, not as
 * this recipient's complaint about this project.
 */
function bounceOf(bounce: NonNullable<SesEvent["bounce"]>): Report {
  const isHard = bounce.bounceType === "Permanent" && bounce.bounceSubType !== "OnAccountSuppressionList";
  const kind = [bounce.bounceType, bounce.bounceSubType].filter(Boolean).join("/");
  return bounced(isHard ? "hard" : "soft", [kind, bounce.bouncedRecipients?.[0]?.diagnosticCode]);
}
