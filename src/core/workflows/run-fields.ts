import { isFilterField } from "../audience/fields";
import { isJsonObject, type JsonObject, type JsonValue } from "../json";

/** The values that conditions can name in addition to the contact's fields. */
export interface ExecutionValues {
  /** The event that last started or woke the execution. Its data is joined from all events that started or woke it. */
  event: { name: string; source: string; data: JsonObject } | null;
  context: JsonObject;
  /** The outputs of the steps so far, by step name. */
  steps: JsonObject;
}

const contactPrefix = "contact.";
const eventDataPrefix = "data.";

/** The fields that a CONDITION may name in addition to those of segments, as error messages list them. */
export const executionFields = [
  "contact.<any of these>",
  "event.<key>",
  "event.name",
  "event.source",
  "context.<key>",
  "steps.<name>.<key>",
] as const;

/** Whether a workflow's condition may name this field. */
export function isExecutionField(field: string): boolean {
  return rootOf(field) !== null || isFilterField(contactFieldOf(field));
}

/** Returns the name that segments use for a contact's field: `data.plan` for `contact.data.plan`. */
export function contactFieldOf(field: string): string {
  return field.startsWith(contactPrefix) ? field.slice(contactPrefix.length) : field;
}

const roots = ["event", "context", "steps"] as const;

/** Returns the part of an execution that a field names, and the rest of the name; null for a field of the contact. */
export function rootOf(field: string): { root: (typeof roots)[number]; key: string } | null {
  const root = roots.find((name) => field.startsWith(`${name}.`) && field.length > name.length + 1);
  return root === undefined ? null : { root, key: field.slice(root.length + 1) };
}

/**
 * Returns an execution's value for a field that `rootOf` recognises; null if the execution has none. `event.source` is
 * always the source that the service recorded: a key `source` in the event's data is `event.data.source`. `event.name`
 * is the name of the event, unless the event's data has a key `name`.
 */
export function executionValue({ event, context, steps }: ExecutionValues, field: string): JsonValue {
  const named = rootOf(field);
  if (named === null) throw new Error(`An execution has no field ${field}`);
  const { root, key } = named;
  if (root === "context") return valueAt(context, key);
  if (root === "steps") return valueOfStep(steps, key);
  if (event === null) return valueOfGiven(context.event, key);
  if (key === "source" || key === "data") return event[key];
  if (key === "name" && !Object.hasOwn(event.data, key)) return event.name;
  return valueAt(event.data, withoutPrefix(key));
}

/**
 * A workflow that is started by hand may be given the data that an event would have. It cannot be given the event's
 * source, so the source reads as null.
 */
function valueOfGiven(event: JsonValue | undefined, key: string): JsonValue {
  return isJsonObject(event) && key !== "source" ? valueAt(event, withoutPrefix(key)) : null;
}

function withoutPrefix(key: string): string {
  return key.startsWith(eventDataPrefix) ? key.slice(eventDataPrefix.length) : key;
}

/** Reads a value as segments do: under the whole key or, if there is no such key, along the path that its dots form. */
function valueAt(object: JsonObject, key: string): JsonValue {
  if (Object.hasOwn(object, key)) return object[key] ?? null;
  const keys = key.split(".");
  if (keys.includes("")) return null;
  return keys.reduce<JsonValue>((inner, part) => (isOwn(inner, part) ? (inner[part] ?? null) : null), object);
}

/** Finds the longest step name with which the key begins, because the name of a step may contain dots. */
function valueOfStep(steps: JsonObject, key: string): JsonValue {
  const name = Object.keys(steps)
    .filter((one) => key === one || key.startsWith(`${one}.`))
    .reduce<string | null>((longest, one) => (longest === null || one.length > longest.length ? one : longest), null);
  if (name === null) return null;
  const output = steps[name] ?? null;
  if (key === name) return output;
  return isJsonObject(output) ? valueAt(output, key.slice(name.length + 1)) : null;
}

function isOwn(value: JsonValue, key: string): value is JsonObject {
  return isJsonObject(value) && Object.hasOwn(value, key);
}
