import { z } from "zod";
import { foreignNamesOfContact } from "../../core/contacts/foreign-names";
import { publicId } from "../../core/ids";
import { Email } from "../../core/mail/address-input";
import { getContact } from "../../engine/contacts/contact";
import { body, created, createRoute, errors, noContent, ok } from "../../http/define";
import { legacyBadRequest, legacyRequired, required } from "../../http/legacy";
import { CursorQuery, IdParam, orderBy } from "../../http/params";
import { createRouter } from "../../http/router";
import { streamObject } from "../../http/stream-object";
import { bulk } from "./bulk/routes";
import { contactJson } from "./contact";
import { deleteContact } from "./delete";
import { contactExecutions } from "./executions/routes";
import { exportContact } from "./export";
import { fields } from "./fields/routes";
import { imports } from "./import/routes";
import { listContacts } from "./list";
import { lookUpContacts } from "./lookup";
import {
  Contact,
  ContactExport,
  ContactPage,
  LookedUpContacts,
  LookupContacts,
  UpdateContact,
  UpsertContact,
  UpsertedContact,
} from "./schema";
import { snoozes } from "./snooze/routes";
import { contactTopics } from "./topics/routes";
import { addressTaken, updateContact } from "./update";
import { upsertContact } from "./upsert";

export const contacts = createRouter();

// Fixed paths go before /contacts/{id}.
contacts.route("/", fields);
contacts.route("/", imports);
contacts.route("/", bulk);

const tags = ["Contacts"];

const ContactQuery = CursorQuery.extend({
  search: z.string().optional().meta({ description: "A part of the address, case-insensitive." }),
  subscribed: z
    .enum(["true", "false"])
    .transform((word) => word === "true")
    .optional()
    .meta({ type: "boolean", description: "Leave it out for both." }),
  email: Email.optional().meta({ description: "The contact with exactly this address." }),
  sort: orderBy("createdAt", "email"),
  dir: orderBy("desc", "asc"),
});

const list = createRoute({
  method: "get",
  path: "/contacts",
  operationId: "listContacts",
  tags,
  summary: "List the contacts",
  description:
    "With both `sort=email` and `subscribed`, a page may hold fewer contacts than `limit`, or none, although more " +
    "follow: continue while `hasMore` is true.",
  request: { query: ContactQuery },
  responses: { ...ok(ContactPage), ...errors(400, 422) },
});

contacts.openapi(list, async (c) => c.json(await listContacts(c.var.ctx, c.req.valid("query")), 200));

const upsert = createRoute({
  method: "post",
  path: "/contacts",
  policy: { bucket: "contacts" },
  operationId: "upsertContact",
  tags,
  summary: "Create a contact, or change the one with this address",
  middleware: legacyRequired(required("email")),
  foreignNames: foreignNamesOfContact,
  request: body(UpsertContact),
  responses: {
    ...ok(UpsertedContact, "An existing contact was changed."),
    ...created(UpsertedContact, "A contact was created."),
    ...legacyBadRequest("`email` is missing, or the body is not JSON.", "email"),
    ...errors(403, 409, 413, 422),
  },
});

contacts.openapi(upsert, async (c) => {
  const { contact, isNew, confirmation } = await upsertContact(c.var.ctx, c.req.valid("json"));
  const _meta = { isNew, isUpdate: !isNew, confirmation };
  return c.json({ ...contactJson(contact), _meta }, isNew ? 201 : 200);
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

const update = createRoute({
  method: "patch",
  path: "/contacts/{id}",
  policy: { bucket: "contacts" },
  operationId: "updateContact",
  refusals: () => [addressTaken("ada@example.com")],
  // Accepted, because a caller may send back another system's data about the person.
  advisedNames: foreignNamesOfContact,
  tags,
  summary: "Change a contact",
  description: "Only the fields sent change. Mail that was already accepted still goes to the earlier address.",
  request: { params: IdParam, ...body(UpdateContact) },
  responses: { ...ok(Contact), ...errors(400, 403, 404, 409, 413, 422) },
});

contacts.openapi(update, async (c) => {
  const contact = await updateContact(c.var.ctx, c.req.valid("param").id, c.req.valid("json"));
  return c.json(contactJson(contact), 200);
});

const exportAll = createRoute({
  method: "get",
  path: "/contacts/{id}/export",
  operationId: "exportContact",
  tags,
  summary: "Export everything stored about a contact",
  description:
    "Returns a JSON file with the person's emails and events, oldest first. The file is streamed: if the connection " +
    "breaks, the part that arrived is not valid JSON.",
  request: { params: IdParam },
  responses: { ...ok(ContactExport), ...errors(404) },
});

contacts.openapi(exportAll, async (c) => {
  const { id } = c.req.valid("param");
  return streamObject(c, await exportContact(c.var.ctx, id), {
    "Content-Disposition": `attachment; filename="contact-${publicId(id)}.json"`,
  });
});

const remove = createRoute({
  method: "delete",
  path: "/contacts/{id}",
  policy: { bucket: "contacts" },
  operationId: "deleteContact",
  tags,
  summary: "Erase a contact",
  description:
    "Permanent. Deletes the contact, and the address, content and data of its emails and events; their records stay " +
    "for statistics. Unsent mail is cancelled. Files are deleted within seconds. If the address had opted out or was " +
    "suppressed, a hash of it is kept, so that this also holds for a new contact with the same address.",
  request: { params: IdParam },
  responses: { ...noContent, ...errors(403, 404, 409) },
});

contacts.openapi(remove, async (c) => {
  await deleteContact(c.var.ctx, c.req.valid("param").id);
  return c.body(null, 204);
});

const lookup = createRoute({
  method: "post",
  path: "/contacts/lookup",
  policy: { bucket: "contacts", isRead: true },
  operationId: "lookUpContacts",
  tags,
  summary: "See which addresses are contacts",
  request: {
    query: z.object({
      expand: z
        .enum(["contacts"])
        .optional()
        .meta({ description: "Adds the full contacts that were found, up to 8 MB of data." }),
    }),
    ...body(LookupContacts),
  },
  responses: { ...ok(LookedUpContacts), ...errors(400, 413, 422) },
});

contacts.openapi(lookup, async (c) => {
  const isExpanded = c.req.valid("query").expand !== undefined;
  const { found, notFound, contacts } = await lookUpContacts(c.var.ctx, c.req.valid("json"), { isExpanded });
  return c.json({ found, notFound, ...(isExpanded ? { contacts: contacts.map(contactJson) } : {}) }, 200);
});

contacts.route("/", snoozes);
contacts.route("/", contactExecutions);
contacts.route("/", contactTopics);
