import { z } from "zod";
import type { FieldCode } from "../errors";
import { isDeeperThan, isJsonObject, type JsonObject, type JsonValue, utf8Bytes } from "../json";
import { isStorable, unstorableText } from "../storable";
import type { Warning } from "../warning";
import { type FieldType, fieldType } from "./field-type";

/** The maximum size of a contact's `data`, in bytes of JSON in UTF-8. A CHECK in the table has the same limit. */
export const maxDataBytes = 65_536;
const maxKeyLength = 128;
// SQLite's JSON functions stop at 1,000 levels, and no template needs more than a few.
const maxDepth = 20;

/** Keys with another meaning in a template, which therefore never become data. */
const reservedKeys = new Set([
  "id",
  "service_id",
  "service_email",
  "email",
  "unsubscribeUrl",
  "subscribeUrl",
  "manageUrl",
]);

/** The wrapper of a value. If `persistent` is false, the value is used in this call only. */
const Wrapped = z.strictObject({ value: z.unknown(), persistent: z.boolean() });

/** The effect of one call's `data`. */
export interface DataChange {
  /** Keys to store, and null for keys to delete. */
  patch: JsonObject;
  /**
   * The data for the mail or event of this call: every key that was sent, stored or not. It overrides the contact's
   * data.
   */
  own: JsonObject;
  /** The type of each stored key. It counts only for keys that are new in the project. */
  types: Record<string, FieldType>;
}

/**
 * Reads the `data` of a call: unwraps its values, and drops reserved keys and empty strings. The value must have passed
 * `ContactData`.
 */
export function readData(sent: JsonObject): DataChange {
  const stored: [string, JsonValue][] = [];
  const own: [string, JsonValue][] = [];
  for (const [key, raw] of Object.entries(sent)) {
    const { value, persistent } = unwrap(raw);
    if (reservedKeys.has(key) || value === "") continue;
    own.push([key, value]);
    if (persistent) stored.push([key, value]);
  }
  // Object.fromEntries defines own properties, so even a key named __proto__ is an ordinary key.
  return {
    patch: Object.fromEntries(stored),
    own: Object.fromEntries(own),
    types: Object.fromEntries(stored.flatMap(([key, value]) => (value === null ? [] : [[key, fieldType(value)]]))),
  };
}

/** Returns a warning for each reserved key that a caller sent. `at` is the path of the data in the call. */
export function reservedWarnings(sent: JsonObject, at: string): Warning[] {
  const reserved = Object.keys(sent).filter((key) => reservedKeys.has(key));
  return reserved.map((key) => ({
    field: `${at}.${key}`,
    message: `${key} is reserved and was dropped: in templates, {{ ${key} }} is the contact's own. Use another key.`,
  }));
}

function unwrap(raw: JsonValue): { value: JsonValue; persistent: boolean } {
  const wrapped = Wrapped.safeParse(raw);
  if (!wrapped.success) return { value: raw, persistent: true };
  // The cast is safe: the wrapper is JSON, so its value is JSON too.
  return { value: wrapped.data.value as JsonValue, persistent: wrapped.data.persistent };
}

/** Free-form custom fields, the same for every endpoint. */
export const ContactData = z
  .custom<JsonObject>(isJsonObject, {
    error: "Must be an object of custom fields",
    params: { code: "invalid_type" },
  })
  .superRefine((data, check) => {
    for (const [path, code, message] of dataFaults(data)) {
      check.addIssue({ code: "custom", path, message, params: { code } });
    }
  })
  .meta({
    type: "object",
    additionalProperties: true,
    description:
      "Custom fields. Only the keys sent change; null deletes a key; an empty string is ignored; " +
      "`{ value, persistent: false }` is used for this call only.",
  });

function dataFaults(data: JsonObject): [path: string[], code: FieldCode, message: string][] {
  if (isDeeperThan(data, maxDepth)) return [[[], "custom", `data may nest at most ${maxDepth} levels deep`]];
  if (utf8Bytes(JSON.stringify(data)) > maxDataBytes) return [[[], "too_big", dataTooBig]];
  return Object.entries(data).flatMap(([key, raw]): [string[], FieldCode, string][] => {
    if (reservedKeys.has(key)) return [];
    if (key.length === 0) return [[[key], "too_small", "A key of data needs at least one character"]];
    if (key.length > maxKeyLength)
      return [[[key], "too_big", `A key of data may have at most ${maxKeyLength} characters`]];
    if (!isStorable(key) || holdsUnstorable(raw)) {
      return [[[key], "invalid_string", unstorableText]];
    }
    if (holdsInfinity(raw)) return [[[key], "too_big", "A number may not be larger than 1.7976931348623157e308"]];
    const { value } = unwrap(raw);
    if (key === "locale" && value !== null && typeof value !== "string") {
      return [[[key], "invalid_type", "locale must be a string such as en or pt-BR"]];
    }
    return [];
  });
}

export const dataTooBig = `The data of one contact may have at most ${maxDataBytes} bytes of JSON`;

function holdsUnstorable(value: JsonValue): boolean {
  if (typeof value === "string") return !isStorable(value);
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(([key, inner]) => !isStorable(key) || holdsUnstorable(inner));
}

/**
 * Whether a value contains Infinity. JSON.parse reads `1e400` as Infinity, which JSON.stringify writes as null, and
 * null would delete the key.
 */
function holdsInfinity(value: JsonValue): boolean {
  if (typeof value === "number") return !Number.isFinite(value);
  if (typeof value !== "object" || value === null) return false;
  return Object.values(value).some(holdsInfinity);
}
