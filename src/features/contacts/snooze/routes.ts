import { notSubscribed, snoozeContact } from "../../../engine/contacts/snooze";
import { unsnoozeContact } from "../../../engine/contacts/unsnooze";
import { body, createRoute, errors, ok } from "../../../http/define";
import { IdParam } from "../../../http/params";
import { createRouter } from "../../../http/router";
import { contactJson } from "../contact";
import { Contact } from "../schema";
import { SnoozeContact } from "./schema";

export const snoozes = createRouter();
const tags = ["Contacts"];

const start = createRoute({
  method: "post",
  path: "/contacts/{id}/snooze",
  policy: { bucket: "contacts" },
  operationId: "snoozeContact",
  refusals: () => [notSubscribed("ada@example.com")],
  tags,
  summary: "Unsubscribe a contact for a while",
  description:
    "The contact is subscribed again when the snooze ends. Any other write of `subscribed` ends the snooze; another " +
    "snooze moves its end. A contact that is unsubscribed without a snooze, or suppressed, cannot be snoozed (409), " +
    "because the end of the snooze would subscribe it.",
  request: { params: IdParam, ...body(SnoozeContact) },
  responses: { ...ok(Contact), ...errors(400, 403, 404, 409, 413, 422) },
});

snoozes.openapi(start, async (c) => {
  const contact = await snoozeContact(c.var.ctx, c.req.valid("param").id, c.req.valid("json"));
  return c.json(contactJson(contact), 200);
});

const end = createRoute({
  method: "delete",
  path: "/contacts/{id}/snooze",
  policy: { bucket: "contacts" },
  operationId: "unsnoozeContact",
  tags,
  summary: "End a snooze, and subscribe the contact again",
  description: "A contact that is not snoozed stays as it is: an unsubscribed one stays unsubscribed.",
  request: { params: IdParam },
  responses: { ...ok(Contact), ...errors(403, 404) },
});

snoozes.openapi(end, async (c) => {
  const contact = await unsnoozeContact(c.var.ctx, c.req.valid("param").id);
  return c.json(contactJson(contact), 200);
});
