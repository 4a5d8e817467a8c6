import { notSubscribed, snoozeContact } from "../../../engine/contacts/snooze";
import { unsnoozeContact } from "../../../engine/contacts/unsnooze";
import { IdParam } from "../../../http/params";
import { projectRoutes } from "../../../http/routes";
import { contactJson } from "../contact";
import { Contact } from "../schema";
import { SnoozeContact } from "./schema";

export const snoozes = projectRoutes("Contacts");

snoozes.post(
  "/contacts/{id}/snooze",
  {
    id: "snoozeContact",
    grows: false,
    summary: "Unsubscribe a contact for a while",
    description:
      "The contact is subscribed again when the snooze ends. Any other write of `subscribed` ends the " +
      "snooze; another snooze moves its end. You cannot snooze a suppressed contact, or one that is " +
      "unsubscribed without a snooze (409), because the end of the snooze would subscribe it.",
    bucket: "contacts",
    params: IdParam,
    body: SnoozeContact,
    ok: Contact,
    refusals: () => [notSubscribed("ada@example.com")],
  },
  async (ctx, { params, body }) => contactJson(await snoozeContact(ctx, params.id, body)),
);

snoozes.delete(
  "/contacts/{id}/snooze",
  {
    id: "unsnoozeContact",
    summary: "End a snooze, and subscribe the contact again",
    description: "Does not change a contact that is not snoozed: an unsubscribed contact stays unsubscribed.",
    bucket: "contacts",
    params: IdParam,
    ok: Contact,
  },
  async (ctx, { params }) => contactJson(await unsnoozeContact(ctx, params.id)),
);
