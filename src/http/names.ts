import { unknownInCondition } from "../core/audience/unknown-names";
import { closestTo } from "../core/closest";
import type { FieldFault } from "../core/errors";
import { type ForeignName, foreignFaults, isOverriddenByOwn } from "../core/foreign-names";
import { isJsonObject } from "../core/json";
import { type UnknownName, unknownIn } from "../core/unknown-names";
import type { Warning } from "../core/warning";

/** The names that a route knows. */
export interface Names {
  /** The top-level fields of the JSON body; none for a route without a body. Null when any name is allowed. */
  body: ReadonlySet<string> | null;
  /**
   * The known names in fields that are an object or a list of objects, by path. `*` stands for each item of a list:
   * `steps.*.config`.
   */
  parts: ReadonlyMap<string, ReadonlySet<string>>;
  /**
   * The paths of fields that are a condition. Unknown names in conditions are checked too, because ignoring one
   * silently would drop a part of the condition.
   */
  conditions: readonly string[];
  /** Fields that are refused, with advice. */
  foreign: readonly ForeignName[];
  /** Fields that are ignored, each with the advice for its warning. */
  advice: ReadonlyMap<string, string>;
  query: ReadonlySet<string>;
  /** Whether items of lists are written as `steps[3].config` instead of `steps.3.config`. */
  hasBrackets: boolean;
}

/** The unknown fields of a body: the refused ones and the ignored ones. */
export interface UnknownNames {
  faults: FieldFault[];
  ignored: Warning[];
}

export const nothingUnknown: UnknownNames = { faults: [], ignored: [] };

/**
 * Finds fields that the route does not know. If the route knows all fields, this costs only one set lookup per field.
 */
export function findUnknown(names: Names | null, body: unknown): UnknownNames {
  if (!names?.body || !isJsonObject(body)) return nothingUnknown;
  const known = names.body;
  const faults = foreignFaults(names.foreign, body);
  const refused = new Set(faults.map(({ field }) => field));
  const ignored: Warning[] = [];
  for (const name of Object.keys(body)) {
    if (known.has(name) || refused.has(name) || isObeyed(names.foreign, name, body[name])) continue;
    ignored.push(warningOf(name, name, known, adviceFor(names, name, body)));
    if (ignored.length === mostNamed) break;
  }
  for (const { name, path, known } of unknownInParts(names, body)) {
    if (ignored.length === mostNamed) break;
    if (!refused.has(path)) ignored.push(warningOf(name, path, known));
  }
  return { faults, ignored };
}

/** Yields unknown names one by one, because a list can have 500 items, and an answer shows only the first names. */
function* unknownInParts({ parts, conditions }: Names, body: unknown): Generator<UnknownName> {
  for (const [part, known] of parts) {
    for (const { value, at } of valuesAt(body, part)) yield* unknownIn(value, at, known);
  }
  for (const condition of conditions) {
    for (const { value, at } of valuesAt(body, condition)) yield* unknownInCondition(value, at);
  }
}

interface ValueAt {
  at: string;
  value: unknown;
}

/** Returns the values at a path: one for `config.recipient`, and one for each item of the list for `steps.*.config`. */
function valuesAt(body: unknown, path: string): ValueAt[] {
  return path.split(".").reduce<ValueAt[]>(
    (found, name) =>
      found.flatMap(({ at, value }) => {
        const inner = at === "" ? "" : `${at}.`;
        if (name !== "*") return isJsonObject(value) ? [{ at: `${inner}${name}`, value: value[name] }] : [];
        return Array.isArray(value) ? value.map((item, index) => ({ at: `${inner}${index}`, value: item })) : [];
      }),
    [{ at: "", value: body }],
  );
}

/** Returns a field as it is written in its route's errors. */
export function writtenField(names: Names | null, field: string): string {
  return names?.hasBrackets ? field.replace(/^(\w+)\.(\d+)(?=\.|$)/, "$1[$2]") : field;
}

function warningOf(name: string, field: string, known: ReadonlySet<string>, advice = didYouMean(name, known)): Warning {
  const ignored = "Not a field of this endpoint, and ignored.";
  return { field: shownName(field), message: advice === "" ? ignored : `${ignored} ${advice}` };
}

function didYouMean(name: string, known: ReadonlySet<string>): string {
  const meant = closestTo(name, known);
  return meant === null ? "" : `Did you mean ${meant}?`;
}

/** Returns advice about an ignored field; undefined when the name is not listed. */
function adviceFor({ foreign, advice }: Names, name: string, body: Record<string, unknown>): string | undefined {
  const overridden = foreign.find((one) => one.name === name && isOverriddenByOwn(one, body));
  return overridden ? `${overridden.advice}.` : advice.get(name);
}

/** Whether a foreign field needs no advice, because its value asks for the default behaviour. */
function isObeyed(foreign: readonly ForeignName[], name: string, value: unknown): boolean {
  return foreign.some((one) => one.name === name && one.except !== undefined && one.except === value);
}

/** The maximum number of names in warnings, so that an answer is no larger than its request. */
export const mostNamed = 20;
const maxNameLength = 100;

export function shownName(name: string): string {
  return name.slice(0, maxNameLength).toWellFormed();
}
