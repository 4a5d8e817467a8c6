import { z } from "zod";
import { FilterCondition } from "../../core/audience/condition";
import type { ColumnName, contactColumns } from "../../core/contacts/columns";
import { columnNamed, columnNames } from "../../core/contacts/columns-with";
import { Confirm, Confirmation } from "../../core/contacts/confirmation";
import { ContactData } from "../../core/contacts/data";
import { Email } from "../../core/mail/address-input";
import { VersionNumber } from "../../core/version";
import { Warnings } from "../../core/warning";
import { EmailContent, Email as EmailRecord } from "../emails/schema";
import { EventPage } from "../events/schema";
import { Suppression } from "../suppressions/schema";
import { WholeExecution } from "../workflows/executions/schema";

/** Returns one property of each column. */
function ofColumns<Key extends "answer" | "example">(key: Key) {
  // Object.fromEntries does not record which column has which value.
  return Object.fromEntries(columnNames.map((name) => [name, columnNamed(name)[key]])) as {
    [Name in ColumnName]: (typeof contactColumns)[Name][Key];
  };
}

// In answers, the data comes before these two times.
const { createdAt, updatedAt, ...otherAnswers } = ofColumns("answer");
const { createdAt: created, updatedAt: updated, ...otherExamples } = ofColumns("example");

const example = {
  id: "0199a0f2-6c1e-7b3a-9d54-0c8f6f1f2a10",
  ...otherExamples,
  data: { firstName: "Ada", plan: "pro" },
  version: 3,
  createdAt: created,
  updatedAt: updated,
};

export const Contact = z
  .object({
    id: z.string(),
    ...otherAnswers,
    data: z.record(z.string(), z.unknown()),
    version: VersionNumber,
    createdAt,
    updatedAt,
  })
  .meta({ id: "Contact", example });

export const UpsertedContact = Contact.extend({
  _meta: z.object({ isNew: z.boolean(), isUpdate: z.boolean(), confirmation: Confirmation.optional() }),
}).meta({ id: "UpsertedContact", example: { ...example, _meta: { isNew: true, isUpdate: false } } });

export const UpsertContact = z
  .object({
    email: Email,
    subscribed: z
      .boolean()
      .nullish()
      .meta({ description: "Default for new contacts: true. Without it, existing contacts keep their state." }),
    confirm: Confirm,
    data: ContactData.optional(),
  })
  .meta({ id: "UpsertContact", example: { email: "ada@example.com", data: { firstName: "Ada", plan: "pro" } } });
export type UpsertContact = z.infer<typeof UpsertContact>;

export const ContactPage = z
  .object({
    data: z.array(Contact),
    cursor: z.string(),
    hasMore: z.boolean(),
    total: z
      .number()
      .int()
      .meta({ description: "The exact number of contacts, on the first page only; 0 on later pages." }),
    warnings: Warnings,
  })
  .meta({ id: "ContactPage", example: { data: [example], cursor: "", hasMore: false, total: 1 } });

/** Documents the choices of a field in which any other value counts as the default. */
const shownAs = (...choices: string[]) => ({ type: "string" as const, enum: choices });

/** Accepts any limit and clamps it, like `?limit=` of a list. */
export const QueryContacts = z
  .object({
    condition: FilterCondition.nullish().meta({
      description: "The condition that the contacts must match. Leave it out for all contacts.",
    }),
    search: z.string().nullish().meta({ description: "Text that the address must contain, in upper or lower case." }),
    sort: z
      .enum(["createdAt", "email"])
      .nullish()
      .catch(null)
      .meta({
        ...shownAs("createdAt", "email"),
        description: "The field to sort by. Default: `createdAt`, also for unknown values.",
      }),
    dir: z
      .enum(["asc", "desc"])
      .nullish()
      .catch(null)
      .meta({ ...shownAs("desc", "asc"), description: "The sort order. Default: `desc`, also for unknown values." }),
    limit: z.number().int().min(1).nullish().meta({ description: "The size of a page. Default: 20; maximum: 100." }),
    cursor: z.string().nullish().meta({ description: "The `cursor` of the previous page." }),
  })
  .meta({
    id: "QueryContacts",
    example: {
      condition: { logic: "AND", groups: [{ filters: [{ field: "data.plan", operator: "equals", value: "pro" }] }] },
      limit: 50,
    },
  });
export type QueryContacts = z.infer<typeof QueryContacts>;

export const QueriedContacts = ContactPage.extend({
  total: z.number().int().meta({ description: "The number of matches, on the first page only; 0 on later pages." }),
  approximate: z.literal(true).optional().meta({ description: "Present if there may be more matches than `total`." }),
  countedAt: z.iso.datetime().optional(),
}).meta({ id: "QueriedContacts", example: { data: [example], cursor: "", hasMore: false, total: 1 } });

export const UpdateContact = z
  .object({
    email: Email.optional(),
    subscribed: z
      .boolean()
      .nullish()
      .meta({ description: "Whether the contact gets marketing mail. Any value ends a snooze." }),
    data: ContactData.optional(),
  })
  .meta({ id: "UpdateContact", example: { subscribed: false, data: { plan: "free" } } });
export type UpdateContact = z.infer<typeof UpdateContact>;

/** The maximum number of addresses that one call may look up. */
const maxLookups = 500;

/** An address, both as it was sent (for the answer) and normalized (for the query). */
export const LookedUp = z
  .string()
  .transform((written, check) => {
    const email = Email.safeParse(written);
    if (email.success) return { written, email: email.data };
    for (const issue of email.error.issues) check.addIssue({ ...issue });
    return z.NEVER;
  })
  .meta({ type: "string", format: "email" });

export const LookupContacts = z
  .object({ emails: z.array(LookedUp).min(1).max(maxLookups) })
  .meta({ id: "LookupContacts", example: { emails: ["ada@example.com", "Bob@Example.com"] } });
export type LookupContacts = z.infer<typeof LookupContacts>;

export const LookedUpContacts = z
  .object({
    found: z
      .array(z.string())
      .meta({ description: "The addresses that are contacts, as you sent them, without duplicates." }),
    notFound: z.array(z.string()),
    contacts: z
      .array(Contact)
      .optional()
      .meta({ description: "Present with `?expand=contacts`. Each contact appears once." }),
  })
  .meta({ id: "LookedUpContacts", example: { found: ["ada@example.com"], notFound: ["Bob@Example.com"] } });

/** This answer is streamed: see export.ts. */
export const ContactExport = z
  .object({
    contact: Contact.extend({
      optedOutAt: z.iso
        .datetime()
        .nullable()
        .meta({ description: "When the person unsubscribed. Null if the person never did, or subscribed again." }),
    }),
    suppression: Suppression.nullable(),
    confirmations: z
      .array(
        z.object({
          email: z.string(),
          requestedAt: z.iso.datetime(),
          confirmedAt: z.iso.datetime().nullable(),
          page: z.string().nullable().meta({ description: "The page on which the person pressed the button." }),
        }),
      )
      .meta({ description: "Requests to confirm the subscription, oldest first." }),
    segments: z
      .array(z.object({ id: z.string(), name: z.string() }))
      .meta({ description: "Only static and tracked segments: other segments do not store their members." }),
    topics: z
      .array(
        z.object({
          id: z.string(),
          name: z.string(),
          slug: z.string(),
          subscribed: z.boolean(),
          chosenAt: z.iso.datetime().nullable(),
        }),
      )
      .meta({
        description:
          "The topics of the project, and deleted topics that the contact chose to join or leave. `chosenAt` " +
          "is null if the contact never chose, so the topic's default applies.",
      }),
    emails: z.array(
      EmailRecord.extend({
        toName: z.string().nullable(),
        content: EmailContent.nullable().meta({ description: "Null if the content is no longer stored." }),
      }),
    ),
    events: EventPage.shape.data,
    executions: z
      .array(WholeExecution)
      .meta({ description: "The contact's executions of workflows, with the steps that they reached." }),
    exportedAt: z.iso.datetime().meta({ description: "The last field of the file. A file without it is incomplete." }),
  })
  .meta({
    id: "ContactExport",
    example: {
      contact: { ...example, optedOutAt: null },
      suppression: null,
      confirmations: [],
      segments: [],
      topics: [],
      emails: [],
      events: [],
      executions: [],
      exportedAt: "2026-01-31T09:00:00.000Z",
    },
  });
