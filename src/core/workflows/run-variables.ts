import { isJsonObject, type JsonObject } from "../json";
import type { ExecutionValues } from "./run-fields";

/** Returns the values of an execution that its emails store, without empty parts. */
export function storedValues({ event, context, steps }: ExecutionValues): JsonObject | null {
  const values = {
    ...(event && { event: { name: event.name, source: event.source, data: event.data } }),
    ...(Object.keys(context).length > 0 && { context }),
    ...(Object.keys(steps).length > 0 && { steps }),
  };
  return Object.keys(values).length === 0 ? null : values;
}

/**
 * Returns what templates of a workflow can name in addition to the contact: `event.<key>`, `steps.<name>.<key>`, and
 * the context's keys, both by themselves and as `context.<key>`. As in conditions, `event.source` comes from the
 * service, and so does `event.name` unless the event's data has a key `name`.
 */
export function executionVariables({ event, context, steps }: JsonObject): JsonObject {
  const given = objectOf(context);
  return {
    ...given,
    context: given,
    steps: objectOf(steps),
    ...(isJsonObject(event) && { event: eventVariables(event) }),
  };
}

function eventVariables({ name = null, source = null, data }: JsonObject): JsonObject {
  return { name, ...objectOf(data), source, data: objectOf(data) };
}

function objectOf(value: JsonObject[string] | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
