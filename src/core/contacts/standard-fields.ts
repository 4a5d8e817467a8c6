import type { NameWith } from "./columns";
import { columnsWith } from "./columns-with";

/** The fields that every contact has, outside of its `data`. */
export const standardFields = columnsWith("isField");

export type StandardField = NameWith<"isField">;

export function isStandard(field: string): field is StandardField {
  return standardFields.some((name) => name === field);
}
