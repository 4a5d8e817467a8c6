import type { JsonValue } from "../json";

export type FieldType = "string" | "number" | "boolean" | "date";

const isoDate = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}:\d{2}(\.\d{3})?Z)?$/;

/**
 * Returns the type that a key of `data` gets with its first value in the project. Arrays and objects count as strings,
 * like everything else that is not a number, a boolean or a date.
 */
export function fieldType(value: JsonValue): FieldType {
  if (typeof value === "number") return "number";
  if (typeof value === "boolean") return "boolean";
  if (typeof value === "string" && isoDate.test(value) && !Number.isNaN(Date.parse(value))) return "date";
  return "string";
}
