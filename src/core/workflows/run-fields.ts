import { isFilterField } from "../audience/fields";
import { isJsonObject, type JsonObject, type JsonValue } from "../json";

/** What a run's conditions can name beside the fields of its contact. */
export interface RunValues {
  /** The event that last started or woke the run, with the data of all that did. */
  event: { name: string; source: string; data: JsonObject } | null;
  context: JsonObject;
  /** The outputs of its steps so far, by their names. */
  steps: JsonObject;
}

const contactPrefix = "contact.";
const eventDataPrefix = "data.";

/** In a message to the caller: the fields of a CONDITION beside those of contacts. */
export const runFields = [
  "contact.<any of these>",
  "event.<key>",
  "event.name",
  "event.source",
  "context.<key>",
  "steps.<name>.<key>",
] as const;

/** Is this a field that the condition of a workflow may name? */
export function isRunField(field: string): boolean {
  return rootOf(field) !== null || isFilterField(contactFieldOf(field));
}

/** A field of the contact by the name that segments have for it: `contact.data.plan` is `data.plan`. */
export function contactFieldOf(field: string): string {
  return field.startsWith(contactPrefix) ? field.slice(contactPrefix.length) : field;
}

const roots = ["event", "context", "steps"] as const;

/** The part of a run that a field names, and the rest of its name; null for fields of contacts. */
export function rootOf(field: string): { root: (typeof roots)[number]; key: string } | null {
  const root = roots.find((name) => field.startsWith(`${name}.`) && field.length > name.length + 1);
  return root === undefined ? null : { root, key: field.slice(root.length + 1) };
}

/**
 * The value that a run has for such a field; null when it has none. `event.source` is ours, whatever the event's data
 * says: its own key of this name is `event.data.source`. `event.name` is the event's only if its data has no such key.
 */
export function runValue({ event, context, steps }: RunValues, field: string): JsonValue {
  const named = rootOf(field);
  if (named === null) throw new Error(`A run has no field ${field}`);
  const { root, key } = named;
  if (root === "context") return valueAt(context, key);
  if (root === "steps") return valueOfStep(steps, key);
  if (event === null) return valueOfGiven(context.event, key);
  if (key === "source" || key === "data") return event[key];
  if (key === "name" && !Object.hasOwn(event.data, key)) return event.name;
  return valueAt(event.data, withoutPrefix(key));
}

/** A start by hand can say what the event would have said. Who sent it is ours to say, and there is none. */
function valueOfGiven(event: JsonValue | undefined, key: string): JsonValue {
  return isJsonObject(event) && key !== "source" ? valueAt(event, withoutPrefix(key)) : null;
}

function withoutPrefix(key: string): string {
  return key.startsWith(eventDataPrefix) ? key.slice(eventDataPrefix.length) : key;
}

/** As in segments: the literal key, or the path that its dots form if there is no such key. */
function valueAt(object: JsonObject, key: string): JsonValue {
  if (Object.hasOwn(object, key)) return object[key] ?? null;
  const keys = key.split(".");
  if (keys.includes("")) return null;
  return keys.reduce<JsonValue>((inner, part) => (isOwn(inner, part) ? (inner[part] ?? null) : null), object);
}

/** A step may have dots in its name. */
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
