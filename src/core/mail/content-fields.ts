import { z } from "zod";
import { storable } from "../storable";
import { Email, FromName } from "./address-input";
import { PreviewText } from "./preview-text";
import { Subject } from "./subject";

/**
 * The required fields of an email's content. `column` is the column of the row, and `input` is the schema of what
 * callers send.
 */
const required = {
  subject: { column: "subject", input: Subject.refine(...storable) },
  from: {
    column: "fromEmail",
    input: Email.meta({ description: "The sender's address. Its domain must be a verified domain of the project." }),
  },
} as const;

/** The optional fields of an email's content. Null and an empty text clear them. */
const optional = {
  // `meta` declares null for the API document, because the transformation of these inputs hides that they accept it.
  fromName: { column: "fromName", input: FromName.nullish().meta({ type: ["string", "null"] }) },
  replyTo: { column: "replyTo", input: Email.nullish().meta({ type: ["string", "null"] }) },
  previewText: { column: "previewText", input: PreviewText.nullish() },
} as const;

type RequiredName = keyof typeof required;
type OptionalName = keyof typeof optional;

/**
 * The fields of mail that templates and campaigns store, by their columns. Rows, inputs, answers, changes and the audit
 * log follow the lists `required` and `optional`. The body is in neither, because a large body is a file.
 */
export type ContentColumns = Record<(typeof required)[RequiredName]["column"], string> &
  Record<(typeof optional)[OptionalName]["column"], string | null>;

/** The fields of `ContentColumns` as callers see them. */
export type ContentJson = Record<RequiredName, string> & Record<OptionalName, string | null>;

/** The fields of `ContentColumns` as callers change them. A field that is left out stays as it is. */
export type ContentChange = { [Field in RequiredName]?: string | undefined } & {
  [Field in OptionalName]?: string | null | undefined;
};

/** The schemas of the fields that callers send. Callers must send the fields of `required`. */
export const contentInput = { ...inputsOf(required), ...inputsOf(optional) };

/** The schemas of the fields that callers get. */
export const contentOutput = { ...outputsOf(required, z.string()), ...outputsOf(optional, z.string().nullable()) };

const contentFields = Object.entries({ ...required, ...optional }) as [
  keyof ContentJson,
  { column: keyof ContentColumns },
][];

export const contentColumns: (keyof ContentColumns)[] = contentFields.map(([, { column }]) => column);

/** The column of each field, by the name that callers know. */
export const contentColumnOf = Object.fromEntries(contentFields.map(([name, { column }]) => [name, column])) as Record<
  keyof ContentJson,
  keyof ContentColumns
>;

export function contentJson(row: ContentColumns): ContentJson {
  return Object.fromEntries(contentFields.map(([name, { column }]) => [name, row[column]])) as ContentJson;
}

/**
 * Returns the content after a change, or new content when `before` is null. The schema makes sure that new content has
 * the required fields.
 */
export function changeContent(change: ContentChange, before: ContentColumns | null): ContentColumns {
  const values = contentFields.map(([name, { column }]) => {
    const [given, kept] = [change[name], before?.[column] ?? null];
    if (!(name in required)) return [column, given === undefined ? kept : given || null];
    if ((given ?? kept) === null) throw new Error(`A content without ${name} got past its schema`);
    return [column, given ?? kept];
  });
  return Object.fromEntries(values) as ContentColumns;
}

function inputsOf<Fields extends Record<string, { input: z.ZodType }>>(fields: Fields) {
  type Inputs = { [Name in keyof Fields]: Fields[Name]["input"] };
  return Object.fromEntries(Object.entries(fields).map(([name, { input }]) => [name, input])) as Inputs;
}

function outputsOf<Fields extends object, Output extends z.ZodType>(fields: Fields, output: Output) {
  return Object.fromEntries(Object.keys(fields).map((name) => [name, output])) as Record<keyof Fields, Output>;
}
