import { createRoute, errors, ok } from "../../http/define";
import { IdParam } from "../../http/params";
import { createRouter } from "../../http/router";
import { emailEventJson, emailJson, getEmail } from "./email";
import { EmailWithEvents } from "./schema";

export const emails = createRouter();

const get = createRoute({
  method: "get",
  path: "/emails/{id}",
  operationId: "getEmail",
  tags: ["Emails"],
  summary: "Get an email record, with what happened to it",
  request: { params: IdParam },
  responses: { ...ok(EmailWithEvents), ...errors(404) },
});

emails.openapi(get, async (c) => {
  const { email, happened } = await getEmail(c.var.ctx, c.req.valid("param").id);
  return c.json({ ...emailJson(email), events: happened.map(emailEventJson) }, 200);
});
