import { isJsonObject, type JsonObject, type JsonValue } from "../../core/json";

/** Returns the objects of a list; none when the value is not a list. */
export function rowsOf(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** Returns the named fields of an object, without those that are missing or null. */
export function pick(from: JsonObject, ...names: string[]): JsonObject {
  const kept = names.flatMap((name): [string, JsonValue][] => {
    const value = from[name];
    return value === undefined || value === null ? [] : [[name, value]];
  });
  return Object.fromEntries(kept);
}

/** Returns a field that is a text; otherwise undefined. */
export function textIn(from: JsonObject, name: string): string | undefined {
  const value = from[name];
  return typeof value === "string" ? value : undefined;
}
