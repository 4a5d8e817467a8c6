import { dataKeyOf, type FilterColumn, filterColumnOf } from "../audience/fields";
import { kindOf } from "../contacts/column-kinds";
import { isJsonObject, type JsonObject } from "../json";

type Fields = Record<FilterColumn, unknown> & { data: JsonObject };

/** Returns a contact's value for the field of a filter; null when there is none. */
export function fieldValue(contact: Fields, field: string): unknown {
  const column = filterColumnOf(field);
  if (column !== null) return kindOf(column).shown(contact[column]);
  const key = dataKeyOf(field);
  return key === null ? null : (valueIn(contact.data, key) ?? null);
}

/** Reads the literal key, or the path that its dots form when there is no such key. */
function valueIn(data: JsonObject, key: string): unknown {
  if (Object.hasOwn(data, key)) return data[key];
  return key
    .split(".")
    .reduce<unknown>((value, part) => (isJsonObject(value) && Object.hasOwn(value, part) ? value[part] : null), data);
}
