import { z } from "zod";
import { foreignNamesOfContact } from "../../core/contacts/foreign-names";
import { publicId } from "../../core/ids";
import { Email } from "../../core/mail/address-input";
import { addsData, isNoOptOut } from "../../core/storage-limit";
import { getContact } from "../../engine/contacts/contact";
import { required } from "../../http/legacy";
import { CursorQuery, IdParam, orderBy } from "../../http/params";
import { projectRoutes } from "../../http/routes";
import { streamObject } from "../../http/stream-object";
import { bulk } from "./bulk/routes";
import { contactJson } from "./contact";
import { deleteContact } from "./delete";
import { contactExecutions } from "./executions/routes";
import { contactExplanations } from "./explain/routes";
import { exportContact } from "./export";
import { fields } from "./fields/routes";
import { imports } from "./import/routes";
import { undoing } from "./import/undo/routes";
import { partUploads, uploads } from "./imports/routes";
import { listContacts } from "./list";
import { lookUpContacts } from "./lookup";
import { queryContacts } from "./query";
import {
  Contact,
  ContactExport,
  ContactPage,
  LookedUpContacts,
  LookupContacts,
  QueriedContacts,
  QueryContacts,
  UpdateContact,
  UpsertContact,
  UpsertedContact,
} from "./schema";
import { contactSegments } from "./segments/routes";
import { snoozes } from "./snooze/routes";
import { contactTopics } from "./topics/routes";
import { addressTaken, updateContact } from "./update";
import { upsertContact } from "./upsert";

export const contacts = projectRoutes("Contacts");

// Fixed paths must be registered before /contacts/{id}.
contacts.router.route("/", fields.router);
contacts.router.route("/", imports.router);
contacts.router.route("/", undoing.router);
contacts.router.route("/", uploads.router);
contacts.router.route("/", partUploads.router);
contacts.router.route("/", bulk.router);

const ContactQuery = CursorQuery.extend({
  search: z.string().optional().meta({ description: "Text that the address must contain, in upper or lower case." }),
  subscribed: z
    .enum(["true", "false"])
    .transform((word) => word === "true")
    .optional()
    .meta({
      type: "boolean",
      description: "Returns only subscribed, or only unsubscribed, contacts. Leave it out for both.",
    }),
  email: Email.optional().meta({ description: "Returns the contact with exactly this address." }),
  sort: orderBy("createdAt", "email"),
  dir: orderBy("desc", "asc"),
});

contacts.get(
  "/contacts",
  {
    id: "listContacts",
    summary: "List the contacts",
    description:
      "With both `sort=email` and `subscribed`, a page may hold fewer contacts than `limit`, or none, " +
      "although more follow: continue while `hasMore` is true.",
    query: ContactQuery,
    ok: ContactPage,
  },
  (ctx, { query }) => listContacts(ctx, query),
);

contacts.post(
  "/contacts",
  {
    id: "upsertContact",
    grows: isNoOptOut,
    summary: "Create a contact, or change the one with this address",
    bucket: "contacts",
    body: UpsertContact,
    ok: { schema: UpsertedContact, description: "An existing contact was changed." },
    created: { schema: UpsertedContact, description: "A contact was created." },
    also: [409],
    legacy: {
      required: [required("email")],
      description: "`email` is missing, or the body is not JSON.",
      example: "email",
    },
    foreignNames: foreignNamesOfContact,
  },
  async (ctx, { body }, c) => {
    const { contact, isNew, confirmation } = await upsertContact(ctx, body);
    const _meta = { isNew, isUpdate: !isNew, confirmation };
    return c.json({ ...contactJson(contact), _meta }, isNew ? 201 : 200);
  },
);

contacts.get(
  "/contacts/{id}",
  { id: "getContact", summary: "Get a contact", params: IdParam, ok: Contact },
  async (ctx, { params }) => contactJson(await getContact(ctx, params.id)),
);

contacts.patch(
  "/contacts/{id}",
  {
    id: "updateContact",
    grows: addsData,
    isVersioned: true,
    summary: "Change a contact",
    description:
      "Changes only the fields that you send. Mail that was already accepted still goes to the earlier " + "address.",
    bucket: "contacts",
    params: IdParam,
    body: UpdateContact,
    ok: Contact,
    refusals: () => [addressTaken("ada@example.com")],
    // These names are ignored with a warning and not refused, because a caller may send another system's data about the
    // person.
    advisedNames: foreignNamesOfContact,
  },
  async (ctx, { params, body }) => contactJson(await updateContact(ctx, params.id, body)),
);

contacts.get(
  "/contacts/{id}/export",
  {
    id: "exportContact",
    summary: "Export everything stored about a contact",
    description:
      "Returns a JSON file with the contact and its emails and events, oldest first. The file is streamed: " +
      "if the connection breaks, the part that arrived is not valid JSON.",
    params: IdParam,
    ok: ContactExport,
  },
  async (ctx, { params }, c) => {
    return streamObject(c, await exportContact(ctx, params.id), {
      "Content-Disposition": `attachment; filename="contact-${publicId(params.id)}.json"`,
    });
  },
);

contacts.delete(
  "/contacts/{id}",
  {
    id: "deleteContact",
    needsProof: true,
    summary: "Erase a contact",
    description:
      "Permanent. Deletes the contact, and the addresses, contents and data of its emails and events; " +
      "their records stay for statistics. Unsent mail is cancelled. Files are deleted within seconds. If " +
      "the person had opted out or the address was suppressed, Petrel keeps a hash of the address, so that " +
      "this also applies to a new contact with it.",
    bucket: "contacts",
    params: IdParam,
    also: [409],
  },
  (ctx, { params }) => deleteContact(ctx, params.id),
);

contacts.post(
  "/contacts/lookup",
  {
    id: "lookUpContacts",
    summary: "See which addresses are contacts",
    bucket: "contacts",
    isRead: true,
    query: z.object({
      expand: z
        .enum(["contacts"])
        .optional()
        .meta({ description: "`contacts` adds the contacts that were found, up to 8 MB of data." }),
    }),
    body: LookupContacts,
    ok: LookedUpContacts,
  },
  async (ctx, { query, body }) => {
    const isExpanded = query.expand !== undefined;
    const { found, notFound, contacts } = await lookUpContacts(ctx, body, { isExpanded });
    return { found, notFound, ...(isExpanded ? { contacts: contacts.map(contactJson) } : {}) };
  },
);

contacts.post(
  "/contacts/query",
  {
    id: "queryContacts",
    summary: "List the contacts that match a condition",
    description:
      "Returns pages like `GET /contacts`. With a condition, a page may hold fewer contacts than `limit`, " +
      "or none, although more follow: continue while `hasMore` is true. `total` is exact if Petrel had to " +
      "scan at most 25,000 contacts or events. Otherwise `total` is the number of matches so far, and " +
      "`approximate` is present; `POST /segments/preview` gives a total count.",
    bucket: "contacts",
    isRead: true,
    body: QueryContacts,
    ok: QueriedContacts,
    conditionNames: ["condition"],
  },
  (ctx, { body }) => queryContacts(ctx, body),
);

contacts.router.route("/", snoozes.router);
contacts.router.route("/", contactExecutions.router);
contacts.router.route("/", contactExplanations.router);
contacts.router.route("/", contactSegments.router);
contacts.router.route("/", contactTopics.router);
