import { type SQL, sql } from "drizzle-orm";
import { dataKeyOf, filterColumnOf } from "../../../core/audience/fields";
import { kindOf } from "../../../core/contacts/column-kinds";
import type { JsonObject } from "../../../core/json";
import { type ExecutionValues, executionValue, rootOf } from "../../../core/workflows/run-fields";
import { contactColumn } from "../../../db/contact-columns";

/** The maximum number of fields that are reported for each decision. */
export const maxSeen = 10;
/** The maximum number of characters that are reported for each value. */
const maxShown = 80;

/** Selects the value of a contact's field as JSON, for a decision to report. */
export function seenInSql(field: string): SQL {
  const key = dataKeyOf(field);
  if (key !== null) {
    const [literal, path] = [pathOf([key]), pathOf(key.split("."))];
    return sql`json(coalesce(c.data -> ${literal}, c.data -> ${path}))`;
  }
  const column = filterColumnOf(field);
  return column === null ? sql`NULL` : kindOf(column).inJson(contactColumn(column, "c"));
}

function pathOf(keys: string[]): string {
  return `$${keys.map((key) => `.${JSON.stringify(key)}`).join("")}`;
}

/** Describes the values that a decision was based on, as a phrase; undefined if it read no field. */
export function describeSeen(
  fields: readonly string[],
  contact: JsonObject,
  values: ExecutionValues,
): string | undefined {
  const each = fields.map((field) => {
    const value = rootOf(field) === null ? valueIn(contact, field) : executionValue(values, field);
    return `${field} ${value === null || value === undefined ? "is missing" : `is ${shown(value)}`}`;
  });
  return each.length === 0 ? undefined : each.join(", ");
}

function valueIn(contact: JsonObject, field: string): unknown {
  const column = filterColumnOf(field);
  return column === null ? contact[field] : kindOf(column).shown(contact[field]);
}

function shown(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > maxShown ? `${text.slice(0, maxShown).toWellFormed()}…` : text;
}
