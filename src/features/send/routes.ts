import { body, createRoute, errors, ok } from "../../http/define";
import { IdempotencyHeader } from "../../http/params";
import { createRouter } from "../../http/router";
import { SendEmail, SentEmails } from "./schema";
import { sendEmails } from "./send";

export const sending = createRouter();

const send = createRoute({
  method: "post",
  path: "/v1/send",
  operationId: "sendEmail",
  tags: ["Sending"],
  summary: "Send an email to one or many recipients",
  description:
    "Creates or updates a contact for each recipient, and answers once every email is durably accepted. " +
    "All recipients are checked before anything is written: a 4xx has no effect at all.",
  request: { headers: IdempotencyHeader, ...body(SendEmail) },
  responses: {
    ...ok(SentEmails, "Every email is accepted."),
    ...errors(400, 402, 403, 404, 408, 409, 413, 422, 429, 503),
  },
});

sending.openapi(send, async (c) => {
  const { ctx } = c.var;
  const emails = await sendEmails(ctx, c.req.valid("json"));
  const items = emails.map(({ id, contactId, email, status }) => ({
    contact: { id: contactId, email },
    email: id,
    status,
  }));
  const sandbox = ctx.config.sandbox ? { sandbox: true as const } : {};
  return c.json({ success: true as const, data: { emails: items, timestamp: ctx.now.toISOString() }, ...sandbox }, 200);
});
