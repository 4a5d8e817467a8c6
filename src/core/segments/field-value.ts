import { dataKeyOf } from "../audience/fields";
import { isJsonObject, type JsonObject } from "../json";
import { iso } from "../time";

interface Fields {
  email: string;
  subscribed: boolean;
  createdAt: number;
  updatedAt: number;
  data: JsonObject;
}

/** A contact's value of a filter's field; null when there is none. */
export function fieldValue(contact: Fields, field: string): unknown {
  switch (field) {
    case "email":
    case "subscribed":
      return contact[field];
    case "createdAt":
    case "updatedAt":
      return iso(contact[field]);
  }
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
