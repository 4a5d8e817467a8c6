import { z } from "zod";
import { ContactData } from "../../core/contacts/data";
import { Email } from "../../core/mail/address-input";

const example = {
  id: "0199a0f2-6c1e-7b3a-9d54-0c8f6f1f2a10",
  email: "ada@example.com",
  subscribed: true,
  snoozedUntil: null,
  data: { firstName: "Ada", plan: "pro" },
  createdAt: "2026-01-31T09:00:00.000Z",
  updatedAt: "2026-01-31T09:00:00.000Z",
};

export const Contact = z
  .object({
    id: z.string(),
    email: z.string(),
    subscribed: z.boolean(),
    snoozedUntil: z.iso.datetime().nullable(),
    data: z.record(z.string(), z.unknown()),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: "Contact", example });

export const UpsertedContact = Contact.extend({
  _meta: z.object({ isNew: z.boolean(), isUpdate: z.boolean() }),
}).meta({ id: "UpsertedContact", example: { ...example, _meta: { isNew: true, isUpdate: false } } });

export const UpsertContact = z
  .object({
    email: Email,
    subscribed: z.boolean().nullish().meta({ description: "New contacts default to true; existing ones keep theirs." }),
    data: ContactData.nullish(),
  })
  .meta({ id: "UpsertContact", example: { email: "ada@example.com", data: { firstName: "Ada", plan: "pro" } } });
export type UpsertContact = z.infer<typeof UpsertContact>;
