import { z } from "zod";
import { isStorable, unstorableText } from "../storable";
import { isMovedName, movedNamesListed } from "./csv-moved";
import { ContactData, readData } from "./data";
import { standardFields } from "./standard-fields";

/** The maximum length of a mapping, in characters. The length is limited because a job stores the mapping. */
const maxMappingLength = 32_768;

/**
 * The use of one column: a field of the contact itself, in lower case, or a key of data. When both are null, the column
 * is dropped.
 */
export interface Target {
  field: string | null;
  key: string | null;
}

/** Maps the names of columns to fields; null drops the column. */
export type Mapping = z.infer<typeof Mapping>;

/** The schema of a mapping that a job stores. */
export const Mapping = z.record(z.string(), z.string().nullable());

/** The schema of a mapping in a JSON body. */
export const CheckedMapping = Mapping.refine((mapping) => JSON.stringify(mapping).length <= maxMappingLength, {
  message: `May have at most ${maxMappingLength} characters of JSON`,
  params: { code: "too_big" },
}).superRefine(checkMapping);

/** The schema of a mapping in a form field: a JSON text. */
export const MappingText = z
  .string("Must be a JSON object")
  .max(maxMappingLength, `May have at most ${maxMappingLength} characters`)
  .transform(readJson)
  .pipe(CheckedMapping);

/** Returns the use of each column. A column that the mapping does not name keeps its own name. */
export function targetsOf(
  names: string[],
  { mapping = {}, movesMappedOnly = false }: { mapping?: Mapping; movesMappedOnly?: boolean },
): Target[] {
  return names.map((name) => {
    if (Object.hasOwn(mapping, name)) return targetOf(mapping[name] ?? null);
    const field = name.toLowerCase();
    return { field: movesMappedOnly && isMovedName(field) ? null : field, key: name };
  });
}

/** Whether the mapping fills the column `subscribed`. */
export function mapsSubscribed(mapping: Mapping): boolean {
  return fieldsIn(mapping).includes("subscribed");
}

/** Whether the mapping fills one of the columns that describe the contact itself. */
export function mapsMoved(mapping: Mapping): boolean {
  return fieldsIn(mapping).some((field) => field !== null && isMovedName(field));
}

function fieldsIn(mapping: Mapping): (string | null)[] {
  return Object.values(mapping).map((said) => targetOf(said).field);
}

function targetOf(said: string | null): Target {
  if (said === null) return { field: null, key: null };
  const field = said.toLowerCase();
  if (field === "email" || field === "subscribed" || isMovedName(field)) return { field, key: null };
  return { field: null, key: said.startsWith(dataPrefix) ? said.slice(dataPrefix.length) : said };
}

const dataPrefix = "data.";

function readJson(text: string, check: z.RefinementCtx): unknown {
  try {
    return JSON.parse(text);
  } catch {
    check.addIssue({
      code: "custom",
      message: 'Must be JSON, such as {"E-mail address": "email", "Plan": "data.plan", "Notes": null}',
      params: { code: "invalid_string" },
    });
    return z.NEVER;
  }
}

/** Refuses unknown fields, and two columns for one field. The check does not need the file. */
function checkMapping(mapping: Mapping, check: z.RefinementCtx): void {
  const columnsBy = new Map<string, string>();
  for (const [column, said] of Object.entries(mapping)) {
    const { field, key } = targetOf(said);
    const target = field ?? (key === null ? null : `${dataPrefix}${key}`);
    const earlier = target === null ? undefined : columnsBy.get(target);
    const fault = faultOf(column, key) ?? (earlier === undefined ? null : twice(earlier, said));
    if (fault !== null) {
      check.addIssue({ code: "custom", path: [column], message: fault, params: { code: "custom" } });
    }
    if (target !== null) columnsBy.set(target, column);
  }
}

function twice(earlier: string, said: string | null): string {
  return `Becomes ${said}, as does the column ${earlier}. Map one of them to another field, or to null`;
}

function faultOf(column: string, key: string | null): string | null {
  if (!isStorable(column)) return unstorableText;
  if (key === null) return null;
  const issue = ContactData.safeParse({ [key]: "text" }).error?.issues[0];
  if (issue !== undefined) return issue.message;
  const isReserved =
    standardFields.some((name) => name === key) || !Object.hasOwn(readData({ [key]: "text" }).patch, key);
  return isReserved ? reserved(key) : null;
}

function reserved(key: string): string {
  return `${key} is reserved. A column becomes email, subscribed, ${movedNamesListed.replaceAll("`", "")}, a key of data such as data.plan, or null to drop it`;
}
