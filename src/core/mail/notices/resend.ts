import { z } from "zod";
import type { Report } from "../status";
import { bounced, type Notice } from "./notice";

/** The name of the tag that every mail carries. */
export const resendTagName = "petrel";

const ResendEvent = z.object({
  type: z.string(),
  data: z.object({
    email_id: z.string().nullish(),
    /** A list where they are given, an object where they are reported; both occur. */
    tags: z
      .union([z.array(z.object({ name: z.string(), value: z.string() })), z.record(z.string(), z.string())])
      .nullish()
      .catch(null),
    bounce: z
      .object({ type: z.string().nullish(), subType: z.string().nullish(), message: z.string().nullish() })
      .nullish(),
    failed: z.object({ reason: z.string().nullish() }).nullish(),
    suppressed: z.object({ message: z.string().nullish() }).nullish(),
  }),
});
type ResendData = z.infer<typeof ResendEvent>["data"];

/** A webhook event of Resend. Null for one that says nothing of a mail's fate, or is none. */
export function readResendEvent(event: unknown): Notice | null {
  const { data: parsed } = ResendEvent.safeParse(event);
  const report = parsed && reportOf(parsed.type, parsed.data);
  if (!report) return null;
  return { tag: tagOf(parsed.data), providerMessageId: parsed.data.email_id ?? null, report };
}

function tagOf({ tags }: ResendData): string | null {
  if (!tags) return null;
  const value = Array.isArray(tags) ? tags.find(({ name }) => name === resendTagName)?.value : tags[resendTagName];
  return value ?? null;
}

function reportOf(type: string, data: ResendData): Report | null {
  switch (type) {
    case "email.delivered":
      return { kind: "delivered" };
    case "email.complained":
      return { kind: "complained" };
    case "email.bounced":
      return bounceOf(data.bounce ?? {});
    // It took the mail and could not send it; or would not, as it has the address on a list of its own, which other
    // projects of the account fill too. Neither tells of the recipient.
    case "email.failed":
      return bounced("soft", ["Failed", data.failed?.reason]);
    case "email.suppressed":
      return bounced("soft", ["Suppressed by the provider", data.suppressed?.message]);
    default:
      return null;
  }
}

/** `email.bounced` means permanently, unless its type says otherwise. */
function bounceOf({ type, subType, message }: NonNullable<ResendData["bounce"]>): Report {
  const isSoft = type === "Transient" || type === "Undetermined" || subType === "OnAccountSuppressionList";
  return bounced(isSoft ? "soft" : "hard", [[type, subType].filter(Boolean).join("/"), message]);
}
