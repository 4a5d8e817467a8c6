import { isJsonObject } from "../json";
import { maxDepth } from "./condition";

/** A name that is unknown at its path in a condition, and the names that are known there. */
interface UnknownName {
  name: string;
  path: string;
  known: ReadonlySet<string>;
}

const ofCondition = new Set(["logic", "groups"]);
const ofGroup = new Set(["filters", "conditions"]);
const ofFilter = new Set(["field", "operator", "value", "unit"]);

/** Yields the unknown names in a value that may be a condition. Goes no deeper than a valid condition. */
export function* unknownNames(sent: unknown, path: string, depth = 1): Generator<UnknownName> {
  if (!isJsonObject(sent) || depth > maxDepth) return;
  yield* unknownIn(sent, path, ofCondition);
  for (const [index, group] of listOf(sent.groups)) {
    const at = `${path}.groups.${index}`;
    yield* unknownIn(group, at, ofGroup);
    for (const [position, filter] of listOf(group.filters))
      yield* unknownIn(filter, `${at}.filters.${position}`, ofFilter);
    yield* unknownNames(group.conditions, `${at}.conditions`, depth + 1);
  }
}

function* unknownIn(object: Record<string, unknown>, path: string, known: ReadonlySet<string>): Generator<UnknownName> {
  for (const name of Object.keys(object)) if (!known.has(name)) yield { name, path: `${path}.${name}`, known };
}

function* listOf(sent: unknown): Generator<[number, Record<string, unknown>]> {
  if (!Array.isArray(sent)) return;
  for (const [index, item] of sent.entries()) if (isJsonObject(item)) yield [index, item];
}
