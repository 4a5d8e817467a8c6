import { z } from "zod";
import { readId } from "../ids";
import { Email } from "../mail/address-input";

/** The schema of a contact's id or address, in a query or a body. */
export const NamedContact = z
  .object({
    contactId: z
      .string()
      .transform(readId)
      .nullish()
      .meta({ type: ["string", "null"], description: "The contact's id. Pass this or `email`." }),
    email: Email.nullish().meta({
      type: ["string", "null"],
      description: "The contact's address. Pass this or `contactId`.",
    }),
  })
  .superRefine(({ contactId, email }, check) => {
    if ((contactId ?? null) === null && (email ?? null) === null) {
      const message = "Required: contactId or email";
      check.addIssue({ code: "custom", path: ["contactId"], message, params: { code: "required" } });
    }
    if ((contactId ?? null) !== null && (email ?? null) !== null) {
      const message = "Pass contactId or email, not both";
      check.addIssue({ code: "custom", path: ["email"], message, params: { code: "custom" } });
    }
  });
export type NamedContact = z.infer<typeof NamedContact>;
