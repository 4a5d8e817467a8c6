import { z } from "zod";
import { contactSources } from "./source";

/** A column of contacts that answers show. */
export interface ContactColumn {
  /** How it is stored, compared and shown: see `columnKinds`. */
  kind: "address" | "flag" | "time" | "word";
  /** Some contacts have no value. */
  isNullable?: true;
  /** The schema of its value in answers, and an example of one. */
  answer: z.ZodType;
  example: unknown;
  /** Conditions may name it. */
  isFilter?: true;
  /** It counts as a field that every contact has: `GET /contacts/fields` lists it, and no import makes data of it. */
  isField?: true;
  /**
   * An import with `columns=all` takes it. A `new` contact alone gets it; or an existing one gets it too, if it has
   * none (`once`); or it is part of what the row says of the subscription (`left`). Its cells are `words` or times.
   */
  imported?: "new" | "once" | "left";
  /** The values of a word that an import takes. */
  words?: readonly string[];
}

/**
 * The columns of a contact, besides its `data`, in the order of lists. Filters, answers, fields, imports and the API
 * document follow from it; only the table itself repeats it.
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
  snoozedUntil: { kind: "time", isNullable: true, answer: z.iso.datetime().nullable(), example: null },
  optedOutAt: {
    ...{ kind: "time", isNullable: true, example: null, imported: "left" },
    answer: z.iso.datetime().nullable().meta({ description: "When this person last left and did not come back." }),
  },
  confirmedAt: {
    ...{ kind: "time", isNullable: true, example: null, imported: "once" },
    answer: z.iso.datetime().nullable().meta({
      description:
        "When this person last confirmed the subscription of this address, by the link of a confirmation mail.",
    }),
  },
  source: {
    ...{ kind: "word", example: "API", isFilter: true, imported: "new", words: contactSources },
    answer: z.enum(contactSources).meta({
      description:
        "Where the contact first came from. `PUBLIC` is a browser; it gives way as soon as a server or an import names the contact.",
    }),
  },
} as const satisfies Record<string, ContactColumn>;

export type ColumnName = keyof typeof contactColumns;

/** The names of the columns that have a property. */
export type NameWith<Key extends keyof ContactColumn> = {
  [Name in ColumnName]: (typeof contactColumns)[Name] extends Record<Key, unknown> ? Name : never;
}[ColumnName];
