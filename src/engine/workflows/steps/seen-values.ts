import { type SQL, sql } from "drizzle-orm";
import { dataKeyOf } from "../../../core/audience/fields";
import type { JsonObject, JsonValue } from "../../../core/json";
import { iso } from "../../../core/time";
import { type ExecutionValues, executionValue, rootOf } from "../../../core/workflows/run-fields";

/** At most this many fields are reported per decision … */
export const maxSeen = 10;
/** … and this many characters of each value. */
const maxShown = 80;

/** Returns the value of a contact's field as JSON, for a decision to report. */
export function seenInSql(field: string): SQL {
  const key = dataKeyOf(field);
  if (key !== null) {
    const [literal, path] = [pathOf([key]), pathOf(key.split("."))];
    return sql`json(coalesce(c.data -> ${literal}, c.data -> ${path}))`;
  }
  switch (field) {
    case "email":
      return sql`c.email`;
    case "source":
      return sql`c.source`;
    case "subscribed":
      return sql`json(iif(c.subscribed, 'true', 'false'))`;
    case "createdAt":
      return sql`c.created_at`;
    case "updatedAt":
      return sql`c.updated_at`;
  }
  return sql`NULL`;
}

function pathOf(keys: string[]): string {
  return `$${keys.map((key) => `.${JSON.stringify(key)}`).join("")}`;
}

/** Returns the values that a decision was based on, as a phrase; undefined if it read no field. */
export function describeSeen(
  fields: readonly string[],
  contact: JsonObject,
  values: ExecutionValues,
): string | undefined {
  const each = fields.map((field) => {
    const value = rootOf(field) === null ? ofContact(contact, field) : executionValue(values, field);
    return `${field} ${value === null || value === undefined ? "is missing" : `is ${shown(value)}`}`;
  });
  return each.length === 0 ? undefined : each.join(", ");
}

function ofContact(contact: JsonObject, field: string): JsonValue | undefined {
  const value = contact[field];
  return typeof value === "number" && (field === "createdAt" || field === "updatedAt") ? iso(value) : value;
}

function shown(value: JsonValue): string {
  const text = JSON.stringify(value);
  return text.length > maxShown ? `${text.slice(0, maxShown).toWellFormed()}…` : text;
}
