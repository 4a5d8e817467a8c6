import { isJsonObject } from "./json";

/** A name that is unknown at its path, and the names that are known there. */
export interface UnknownName {
  name: string;
  path: string;
  known: ReadonlySet<string>;
}

/** Yields the unknown names in a value that should be an object, or a list of objects. */
export function* unknownIn(value: unknown, path: string, known: ReadonlySet<string>): Generator<UnknownName> {
  if (isJsonObject(value)) {
    for (const name of Object.keys(value)) if (!known.has(name)) yield { name, path: `${path}.${name}`, known };
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      if (isJsonObject(item)) yield* unknownIn(item, `${path}.${index}`, known);
    }
  }
}
