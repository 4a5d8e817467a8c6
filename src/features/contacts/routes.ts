import { body, created, createRoute, errors, ok } from "../../http/define";
import { LegacyError, legacyRequired } from "../../http/legacy";
import { IdParam } from "../../http/params";
import { createRouter } from "../../http/router";
import { contactJson, getContact } from "./contact";
import { Contact, UpsertContact, UpsertedContact } from "./schema";
import { upsertContact } from "./upsert";

export const contacts = createRouter();
const tags = ["Contacts"];

const upsert = createRoute({
  method: "post",
  path: "/contacts",
  operationId: "upsertContact",
  tags,
  summary: "Create a contact, or change the one with this address",
  middleware: legacyRequired("email"),
  request: body(UpsertContact),
  responses: {
    ...ok(UpsertedContact, "An existing contact was changed."),
    ...created(UpsertedContact, "A contact was created."),
    400: {
      description: "`email` is missing, or the body is not JSON.",
      content: { "application/json": { schema: LegacyError, example: LegacyError.meta()?.example } },
    },
    ...errors(403, 413, 422),
  },
});

contacts.openapi(upsert, async (c) => {
  const { contact, isNew } = await upsertContact(c.var.ctx, c.req.valid("json"));
  return c.json({ ...contactJson(contact), _meta: { isNew, isUpdate: !isNew } }, isNew ? 201 : 200);
});

const get = createRoute({
  method: "get",
  path: "/contacts/{id}",
  operationId: "getContact",
  tags,
  summary: "Get a contact",
  request: { params: IdParam },
  responses: { ...ok(Contact), ...errors(404) },
});

contacts.openapi(get, async (c) => {
  const contact = await getContact(c.var.ctx, c.req.valid("param").id);
  return c.json(contactJson(contact), 200);
});
