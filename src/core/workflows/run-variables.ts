import { isJsonObject, type JsonObject } from "../json";
import type { RunValues } from "./run-fields";

/** The values of a run as its emails store them, without what there is none of. */
export function storedValues({ event, context, steps }: RunValues): JsonObject | null {
  const values = {
    ...(event && { event: { name: event.name, source: event.source, data: event.data } }),
    ...(Object.keys(context).length > 0 && { context }),
    ...(Object.keys(steps).length > 0 && { steps }),
  };
  return Object.keys(values).length === 0 ? null : values;
}

/**
 * What templates of a workflow can name beside the contact: `event.<key>`, `steps.<name>.<key>`, and the keys of the
 * context, by themselves and as `context.<key>`. `event.source` is ours, and `event.name` unless the data has such a key, as in conditions.
 */
export function runVariables({ event, context, steps }: JsonObject): JsonObject {
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
