import { z } from "zod";
import type { Report } from "../status";
import { bounced, type Notice } from "./notice";

/** The metadata field with the tag of every mail. */
export const postmarkTagName = "petrel";

const PostmarkEvent = z.object({
  RecordType: z.string(),
  MessageID: z.string().nullish(),
  Metadata: z.record(z.string(), z.unknown()).nullish(),
  Type: z.string().nullish(),
  Description: z.string().nullish(),
  Details: z.string().nullish(),
});
type PostmarkEvent = z.infer<typeof PostmarkEvent>;

/** Reads a webhook event of Postmark. Null when it does not concern a mail's outcome, or is not an event. */
export function readPostmarkEvent(event: unknown): Notice | null {
  const { data } = PostmarkEvent.safeParse(event);
  const report = data && reportOf(data);
  if (!report) return null;
  const tag = data.Metadata?.[postmarkTagName];
  return { tag: typeof tag === "string" ? tag : null, providerMessageId: data.MessageID ?? null, report };
}

function reportOf(event: PostmarkEvent): Report | null {
  switch (event.RecordType) {
    case "Delivery":
      return { kind: "delivered" };
    case "SpamComplaint":
      return { kind: "complained" };
    case "Bounce":
      return bounceOf(event);
    default:
      return null;
  }
}

const hardTypes = new Set(["HardBounce", "BadEmailAddress"]);
/** Postmark reports these answers as bounces, but their mailboxes received the mail. */
const answers = new Set(["AutoResponder", "AddressChange", "ChallengeVerification", "Subscribe", "Unsubscribe"]);

function bounceOf({ Type, Description, Details }: PostmarkEvent): Report | null {
  const type = Type ?? "Unknown";
  if (answers.has(type)) return null;
  if (type === "SpamComplaint") return { kind: "complained" };
  return bounced(hardTypes.has(type) ? "hard" : "soft", [type, Details || Description]);
}
