import type { FieldFault } from "./errors";
import { shownValue } from "./faults";
import { isJsonObject } from "./json";

/** A field of other email APIs that has no effect here. A call that sends such a field is refused with advice. */
export interface ForeignName {
  name: string;
  /** The list whose items contain the field. When absent, the call itself contains the field. */
  itemsOf?: string;
  /** The one value that is accepted, because it asks for the default behaviour. */
  except?: string | boolean;
  /**
   * Our field with the same meaning. When a call sends both, the foreign field is ignored, and the advice becomes a
   * warning.
   */
  standsFor?: string;
  advice: string;
}

/** Makes an entry for each of several names of the same thing. */
export function foreign(names: readonly string[], rest: Omit<ForeignName, "name">): ForeignName[] {
  return names.map((name) => ({ name, ...rest }));
}

/** The maximum number of items of a list that are checked, because an answer should not be larger than its request. */
const maxItems = 20;

/**
 * Returns the faults of the foreign fields in an object. When several entries apply to one field, the first entry
 * counts.
 */
export function foreignFaults(foreign: readonly ForeignName[], body: Record<string, unknown>): FieldFault[] {
  const faults = foreign.flatMap((one) => faultsOfName(one, body));
  return faults.filter(({ field }, index) => faults.findIndex((one) => one.field === field) === index);
}

/** Reports whether a call also has our own field with the same meaning. */
export function isOverriddenByOwn({ standsFor }: ForeignName, body: Record<string, unknown>): boolean {
  return standsFor !== undefined && !isNothing(body[standsFor]);
}

function faultsOfName(one: ForeignName, body: Record<string, unknown>): FieldFault[] {
  const { name, itemsOf, except, advice } = one;
  if (isOverriddenByOwn(one, body)) return [];
  if (itemsOf === undefined) return faultOf(body, name, name);
  const items = body[itemsOf];
  if (!Array.isArray(items)) return [];
  return items
    .slice(0, maxItems)
    .flatMap((item, index) => (isJsonObject(item) ? faultOf(item, name, `${itemsOf}.${index}.${name}`) : []));

  function faultOf(holder: Record<string, unknown>, key: string, field: string): FieldFault[] {
    const value = Object.hasOwn(holder, key) ? holder[key] : undefined;
    if (isNothing(value) || value === except) return [];
    return [{ field, code: "custom", message: advice, ...shownValue(value) }];
  }
}

/** Reports whether a value is missing or empty. */
function isNothing(value: unknown): boolean {
  return value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0);
}
