import { z } from "zod";
import type { Names } from "./names";
import type { Operation } from "./operation";

/** Collects the names that an operation reads. */
export function namesOf(operation: Operation): Names {
  const { body, form, query, partNames = {}, conditionNames = [], foreignNames = [], advisedNames = [] } = operation;
  return {
    body: form === undefined && body === undefined ? new Set() : namesIn(body),
    parts: new Map(Object.entries(partNames).map(([part, known]) => [part, new Set(known)])),
    conditions: conditionNames,
    foreign: foreignNames,
    advice: new Map(advisedNames.map(({ name, advice }) => [name, `${advice}.`])),
    query: namesIn(query) ?? new Set(),
    hasBrackets: operation.hasBrackets === true,
  };
}

/** Returns the names of an object schema, even inside wrappers; null for a schema that accepts any name. */
function namesIn(schema: unknown): ReadonlySet<string> | null {
  if (schema instanceof z.ZodObject) return schema.def.catchall ? null : new Set(Object.keys(schema.shape));
  if (schema instanceof z.ZodPipe) return namesIn(schema.in) ?? namesIn(schema.out);
  return null;
}
