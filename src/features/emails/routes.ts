import { z } from "zod";
import { endsAfterStart } from "../../core/events/range";
import { accepted, createRoute, errors, ok } from "../../http/define";
import { CursorQuery, IdParam } from "../../http/params";
import { createRouter } from "../../http/router";
import { cancelEmail, notCancellable } from "./cancel";
import { notRendered, readContent } from "./content";
import { emailEventJson, emailJson, findHappened, getEmail } from "./email";
import { listEmails } from "./list";
import { notRetryable, retryEmail } from "./retry";
import { Email, EmailContent, EmailFilters, EmailPage, EmailWithEvents, RetriedEmail } from "./schema";

export const emails = createRouter();
const tags = ["Emails"];

const list = createRoute({
  method: "get",
  path: "/emails",
  operationId: "listEmails",
  tags,
  summary: "List email records, newest first",
  request: { query: z.object({ ...CursorQuery.shape, ...EmailFilters.shape }).superRefine(endsAfterStart) },
  responses: { ...ok(EmailPage), ...errors(400, 422) },
});

emails.openapi(list, async (c) => c.json(await listEmails(c.var.ctx, c.req.valid("query")), 200));

const get = createRoute({
  method: "get",
  path: "/emails/{id}",
  operationId: "getEmail",
  tags,
  summary: "Get an email record with its events",
  request: { params: IdParam },
  responses: { ...ok(EmailWithEvents), ...errors(404) },
});

emails.openapi(get, async (c) => {
  const { ctx } = c.var;
  const email = await getEmail(ctx, c.req.valid("param").id);
  const happened = await findHappened(ctx, email);
  return c.json({ ...emailJson(email), events: happened.map((event) => emailEventJson(email, event)) }, 200);
});

const content = createRoute({
  method: "get",
  path: "/emails/{id}/content",
  operationId: "readEmailContent",
  refusals: () => [notRendered("it takes too much work.")],
  tags,
  summary: "Get the content of an email",
  description:
    "410 when the content is no longer stored: 90 days after the mail was final, or as the installation is set. Attachments are listed, but not included.",
  request: { params: IdParam },
  responses: { ...ok(EmailContent), ...errors(404, 409, 410) },
});

emails.openapi(content, async (c) => c.json(await readContent(c.var.ctx, c.req.valid("param").id), 200));

const retry = createRoute({
  method: "post",
  path: "/emails/{id}/retry",
  operationId: "retryEmail",
  refusals: () => [notRetryable("DELIVERED")],
  tags,
  summary: "Send a FAILED, CANCELLED or UNKNOWN email again",
  request: { params: IdParam },
  responses: { ...accepted(RetriedEmail), ...errors(402, 403, 404, 409, 410) },
});

emails.openapi(retry, async (c) => c.json(await retryEmail(c.var.ctx, c.req.valid("param").id), 202));

const cancel = createRoute({
  method: "delete",
  path: "/emails/{id}",
  operationId: "cancelEmail",
  refusals: () => [notCancellable({ status: "SENT" })],
  tags,
  summary: "Cancel an email that is QUEUED",
  description: "Returns the record with the status CANCELLED. 409 once the email is on its way.",
  request: { params: IdParam },
  responses: { ...ok(Email), ...errors(403, 404, 409) },
});

emails.openapi(cancel, async (c) => c.json(emailJson(await cancelEmail(c.var.ctx, c.req.valid("param").id)), 200));
