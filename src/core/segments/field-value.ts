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

/** What a contact has in a field, as a filter names it; null when there is nothing. */
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

/** The literal key first, and only where there is none the path that its dots may mean. */
function valueIn(data: JsonObject, key: string): unknown {
  if (Object.hasOwn(data, key)) return data[key];
  return key
    .split(".")
    .reduce<unknown>((value, part) => (isJsonObject(value) && Object.hasOwn(value, part) ? value[part] : null), data);
}
