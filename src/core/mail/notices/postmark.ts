import { z } from "zod";
import type { Report } from "../status";
import { bounced, type Notice } from "./notice";

/** The name of the metadata field that every mail carries. */
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

/** A webhook event of Postmark. Null for one that says nothing of a mail's fate, or is none. */
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
/** Postmark files every answer under "bounce": these came from a mailbox that has the mail. */
const answers = new Set(["AutoResponder", "AddressChange", "ChallengeVerification", "Subscribe", "Unsubscribe"]);

function bounceOf({ Type, Description, Details }: PostmarkEvent): Report | null {
  const type = Type ?? "Unknown";
  if (answers.has(type)) return null;
  if (type === "SpamComplaint") return { kind: "complained" };
  return bounced(hardTypes.has(type) ? "hard" : "soft", [type, Details || Description]);
}
