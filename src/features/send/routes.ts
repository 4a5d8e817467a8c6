import { publicId } from "../../core/ids";
import { body, createRoute, errors, ok } from "../../http/define";
import { megabyte } from "../../http/policy";
import { createRouter } from "../../http/router";
import type { Config } from "../../platform/env";
import { foreignBodiesOfSend } from "./foreign-bodies";
import { foreignNamesOfSend, partNamesOfSend } from "./foreign-names";
import { SendEmail, SentEmails } from "./schema";
import { sendEmails } from "./send";

export const sending = createRouter();

const send = createRoute({
  method: "post",
  path: "/v1/send",
  policy: { once: true, bucket: "send", maxBody: maxSendBytes },
  operationId: "sendEmail",
  tags: ["Sending"],
  summary: "Send an email to one or many recipients",
  description:
    "Creates or updates a contact for each recipient, and answers once every email is durably accepted. " +
    "All recipients are checked before anything is written: a 4xx has no effect at all. While the operator's " +
    "`sendingPaused` is set, a MARKETING template is a 403 `SENDING_PAUSED`. Otherwise it goes to everybody but those who opted " +
    "out, and `warnings` names recipients who are not subscribed.",
  foreignNames: [...foreignNamesOfSend, ...foreignBodiesOfSend],
  partNames: partNamesOfSend,
  request: body(SendEmail),
  responses: {
    ...ok(SentEmails, "Every email is accepted."),
    ...errors(400, 402, 403, 404, 409, 413, 422, 503),
  },
});

sending.openapi(send, async (c) => {
  const { ctx } = c.var;
  const emails = await sendEmails(ctx, c.req.valid("json"));
  const items = emails.map(({ id, contactId, email, status }) => ({
    contact: { id: publicId(contactId), email },
    email: publicId(id),
    status,
  }));
  const sandbox = ctx.config.sandbox ? { sandbox: true as const } : {};
  return c.json({ success: true as const, data: { emails: items, timestamp: ctx.now.toISOString() }, ...sandbox }, 200);
});

/** Attachments are base64, which takes four bytes for three; everything else gets 2 MB. */
function maxSendBytes({ maxAttachmentBytes }: Config): number {
  return Math.ceil((maxAttachmentBytes * 4) / 3) + 2 * megabyte;
}
