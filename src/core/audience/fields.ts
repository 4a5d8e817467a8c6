import type { NameWith } from "../contacts/columns";
import { columnsWith } from "../contacts/columns-with";
import { isStandard } from "../contacts/standard-fields";

/** The columns that a condition may name as fields, in addition to `data.<key>`. */
export const filterFields = columnsWith("isFilter");

export type FilterColumn = NameWith<"isFilter">;

/** Returns the column that a field names; null for other fields. */
export function filterColumnOf(field: string): FilterColumn | null {
  return filterFields.find((name) => name === field) ?? null;
}

const dataPrefix = "data.";
const topicPrefix = "topic.";

/** Returns the key in `data.<key>`; null for other fields. */
export function dataKeyOf(field: string): string | null {
  return afterPrefix(field, dataPrefix);
}

/** Reports whether contacts can have this field. */
export function isContactField(field: string): boolean {
  return dataKeyOf(field) !== null || isStandard(field);
}

/** Returns the slug in `topic.<slug>`; null for other fields. */
export function topicOf(field: string): string | null {
  return afterPrefix(field, topicPrefix);
}

export function topicField(slug: string): string {
  return topicPrefix + slug;
}

/** Reports whether a condition may name this field of contacts. */
export function isFilterField(field: string): boolean {
  return dataKeyOf(field) !== null || topicOf(field) !== null || filterColumnOf(field) !== null;
}

/** Returns the part of a name after the prefix; null when the name lacks the prefix or has nothing after it. */
export function afterPrefix(field: string, prefix: string): string | null {
  return field.startsWith(prefix) && field.length > prefix.length ? field.slice(prefix.length) : null;
}
