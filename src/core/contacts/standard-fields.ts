import type { standardFields } from "../audience/fields";
import type { FieldType } from "./field-type";

/** The types of the fields that every contact has, outside of its `data`. */
export const standardTypes: Record<StandardField, FieldType> = {
  createdAt: "date",
  email: "string",
  subscribed: "boolean",
  updatedAt: "date",
};

export type StandardField = (typeof standardFields)[number];

export function isStandard(field: string): field is StandardField {
  return Object.hasOwn(standardTypes, field);
}
