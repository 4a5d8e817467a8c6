import { dataKeyOf } from "../audience/fields";
import { kindOf } from "../contacts/column-kinds";
import { isStandard, type StandardField } from "../contacts/standard-fields";
import { isJsonObject, type JsonObject } from "../json";

type Fields = Record<StandardField, unknown> & { data: JsonObject };

/** A contact's value of a filter's field; null when there is none. */
export function fieldValue(contact: Fields, field: string): unknown {
  if (isStandard(field)) return kindOf(field).shown(contact[field]);
  const key = dataKeyOf(field);
  return key === null ? null : (valueIn(contact.data, key) ?? null);
}

/** The literal key, or the path that its dots form if there is no such key. */
function valueIn(data: JsonObject, key: string): unknown {
  if (Object.hasOwn(data, key)) return data[key];
  return key
    .split(".")
    .reduce<unknown>((value, part) => (isJsonObject(value) && Object.hasOwn(value, part) ? value[part] : null), data);
}
