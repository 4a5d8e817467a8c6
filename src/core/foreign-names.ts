import type { FieldFault } from "./errors";
import { shownValue } from "./faults";
import { isJsonObject } from "./json";

/** A field of other email APIs. A call that has it wants something done, so it is refused with what to do here. */
export interface ForeignName {
  name: string;
  /** The list whose items have the field; the call itself without it. */
  itemsOf?: string;
  /** The one value that asks for what happens anyway. */
  except?: string | boolean;
  /** The field here that it stands for. Beside that field it is ignored, and named with the advice. */
  standsFor?: string;
  advice: string;
}

/** Several names for the same thing. */
export function foreign(names: readonly string[], rest: Omit<ForeignName, "name">): ForeignName[] {
  return names.map((name) => ({ name, ...rest }));
}

/** Items of a list that are looked at: an answer must not be larger than its request. */
const mostItems = 20;

/** The faults of the foreign fields in an object, one for each field: what is listed first counts. */
export function foreignFaults(foreign: readonly ForeignName[], body: Record<string, unknown>): FieldFault[] {
  const faults = foreign.flatMap((one) => faultsOfName(one, body));
  return faults.filter(({ field }, index) => faults.findIndex((one) => one.field === field) === index);
}

/** Whether the field here that a foreign one stands for is sent beside it. */
export function isBesideOwn({ standsFor }: ForeignName, body: Record<string, unknown>): boolean {
  return standsFor !== undefined && !isNothing(body[standsFor]);
}

function faultsOfName(one: ForeignName, body: Record<string, unknown>): FieldFault[] {
  const { name, itemsOf, except, advice } = one;
  if (isBesideOwn(one, body)) return [];
  if (itemsOf === undefined) return faultOf(body, name, name);
  const items = body[itemsOf];
  if (!Array.isArray(items)) return [];
  return items
    .slice(0, mostItems)
    .flatMap((item, index) => (isJsonObject(item) ? faultOf(item, name, `${itemsOf}.${index}.${name}`) : []));

  function faultOf(holder: Record<string, unknown>, key: string, field: string): FieldFault[] {
    const value = Object.hasOwn(holder, key) ? holder[key] : undefined;
    if (isNothing(value) || value === except) return [];
    return [{ field, code: "custom", message: advice, ...shownValue(value) }];
  }
}

/** A value that asks for nothing. */
function isNothing(value: unknown): boolean {
  return value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0);
}
