import { z } from "zod";
import { contactSources } from "./source";

/** A column of contacts that answers show. */
export interface ContactColumn {
  /** How the column is stored, compared and shown: see `columnKinds`. */
  kind: "address" | "flag" | "time" | "word";
  /** Whether some contacts have no value. */
  isNullable?: true;
  /** The schema of the value in answers, and an example value. */
  answer: z.ZodType;
  example: unknown;
  /** Whether conditions may name the column. */
  isFilter?: true;
  /**
   * Whether the column counts as a field of every contact: `GET /contacts/fields` then lists it, and no import turns it
   * into data.
   */
  isField?: true;
  /**
   * How an import with `columns=all` uses the column: `new` only for a new contact, `once` for any contact that has no
   * value yet, `left` as part of the row's opt-out. Each cell contains one of `words`, or a time.
   */
  imported?: "new" | "once" | "left";
  /** The words that an import accepts. */
  words?: readonly string[];
}

/**
 * The columns of a contact apart from its `data`, in the order in which lists show them. Filters, answers, fields,
 * imports and the API document are derived from this list; only the table repeats it.
 */
export const contactColumns = {
  email: { kind: "address", answer: z.string(), example: "ada@example.com", isFilter: true, isField: true },
  subscribed: { kind: "flag", answer: z.boolean(), example: true, isFilter: true, isField: true },
  createdAt: {
    ...{ kind: "time", answer: z.iso.datetime(), example: "2026-01-31T09:00:00.000Z" },
    ...{ isFilter: true, isField: true, imported: "new" },
  },
  updatedAt: {
    ...{ kind: "time", answer: z.iso.datetime(), example: "2026-01-31T09:00:00.000Z" },
    ...{ isFilter: true, isField: true },
  },
  snoozedUntil: {
    ...{ kind: "time", isNullable: true, example: null },
    answer: z.iso
      .datetime()
      .nullable()
      .meta({ description: "The end of the contact's snooze. Null if there is none." }),
  },
  optedOutAt: {
    ...{ kind: "time", isNullable: true, example: null, imported: "left" },
    answer: z.iso
      .datetime()
      .nullable()
      .meta({ description: "When the person unsubscribed. Null if the person never did, or subscribed again." }),
  },
  confirmedAt: {
    ...{ kind: "time", isNullable: true, example: null, imported: "once" },
    answer: z.iso
      .datetime()
      .nullable()
      .meta({
        description:
          "When the person last confirmed the subscription of this address with the link in a confirmation " +
          "mail. Null if never.",
      }),
  },
  source: {
    ...{ kind: "word", example: "API", isFilter: true, imported: "new", words: contactSources },
    answer: z.enum(contactSources).meta({
      description:
        "Where the contact first came from. `PUBLIC` means a browser; it is replaced as soon as a server or " +
        "an import names the contact.",
    }),
  },
} as const satisfies Record<string, ContactColumn>;

export type ColumnName = keyof typeof contactColumns;

/** The names of the columns that have a property. */
export type NameWith<Key extends keyof ContactColumn> = {
  [Name in ColumnName]: (typeof contactColumns)[Name] extends Record<Key, unknown> ? Name : never;
}[ColumnName];
