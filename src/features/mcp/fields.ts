import { isJsonObject, type JsonObject, type JsonValue } from "../../core/json";

/** The objects of a list; none when the value is no list. */
export function rowsOf(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** The named fields of an object, without those that it does not have or that are null. */
export function pick(from: JsonObject, ...names: string[]): JsonObject {
  const kept = names.flatMap((name): [string, JsonValue][] => {
    const value = from[name];
    return value === undefined || value === null ? [] : [[name, value]];
  });
  return Object.fromEntries(kept);
}

/** A field that is a text; otherwise undefined. */
export function textIn(from: JsonObject, name: string): string | undefined {
  const value = from[name];
  return typeof value === "string" ? value : undefined;
}
