import { publicId } from "../../core/ids";
import { megabyte } from "../../http/policy";
import { projectRoutes } from "../../http/routes";
import type { Config } from "../../platform/env";
import { foreignBodiesOfSend } from "./foreign-bodies";
import { foreignNamesOfSend, partNamesOfSend } from "./foreign-names";
import { SendEmail, SentEmails } from "./schema";
import { sendEmails } from "./send";

export const sending = projectRoutes("Sending");

sending.post(
  "/v1/send",
  {
    id: "sendEmail",
    grows: "itself",
    sends: true,
    summary: "Send an email to one or many recipients",
    description:
      "Creates or updates a contact for each recipient, and answers once every email is durably accepted. " +
      "All recipients are checked before anything is written: a 4xx has no effect at all. A MARKETING template is a " +
      "403 `SENDING_PAUSED` while the operator's `sendingPaused` is set, and a 409 without a provider that accepts " +
      "marketing email. Otherwise its mail goes to all recipients except those who opted out, and `warnings` names " +
      "those who are not subscribed.",
    once: true,
    bucket: "send",
    maxBody: maxSendBytes,
    body: SendEmail,
    ok: { schema: SentEmails, description: "Every email is accepted." },
    also: [402, 404],
    foreignNames: [...foreignNamesOfSend, ...foreignBodiesOfSend],
    partNames: partNamesOfSend,
  },
  async (ctx, { body }) => {
    const emails = await sendEmails(ctx, body);
    const items = emails.map(({ id, contactId, email, status }) => ({
      contact: { id: publicId(contactId), email },
      email: publicId(id),
      status,
    }));
    const sandbox = ctx.config.sandbox ? { sandbox: true as const } : {};
    return { success: true as const, data: { emails: items, timestamp: ctx.now.toISOString() }, ...sandbox };
  },
);

/**
 * Returns the size of the largest body, in bytes. Attachments in base64 take four bytes for three; all other parts
 * together may have 2 MB.
 */
function maxSendBytes({ maxAttachmentBytes }: Config): number {
  return Math.ceil((maxAttachmentBytes * 4) / 3) + 2 * megabyte;
}
