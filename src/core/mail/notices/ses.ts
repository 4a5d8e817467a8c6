import { z } from "zod";
import type { Report } from "../status";
import { bounced, type Notice } from "./notice";

/** The name of the message tag that every mail carries. */
export const sesTagName = "petrel";

/** The header that says the same: notifications of an identity carry no tags, but may carry the headers. */
export const sesTagHeader = "X-Petrel-Tag";

const SesEvent = z.object({
  /** Of an event destination; a notification of an identity says `notificationType`, and carries no tags. */
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

/** An event of SES, as it is published to SNS. Null for one that says nothing of a mail's fate, or is none. */
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
      // SES took it and then found a virus in it: it goes nowhere, and the recipient is not to blame.
      return bounced("soft", ["Rejected", reject?.reason]);
    default:
      return null;
  }
}

/**
 * The account's own suppression list also knows complaints to other projects of it: this mail bounced, but says
 * nothing of what this recipient thinks of this project.
 */
function bounceOf(bounce: NonNullable<SesEvent["bounce"]>): Report {
  const isHard = bounce.bounceType === "Permanent" && bounce.bounceSubType !== "OnAccountSuppressionList";
  const kind = [bounce.bounceType, bounce.bounceSubType].filter(Boolean).join("/");
  return bounced(isHard ? "hard" : "soft", [kind, bounce.bouncedRecipients?.[0]?.diagnosticCode]);
}
