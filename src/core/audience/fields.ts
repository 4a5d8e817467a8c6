/** The fields of a contact that are not in its `data`. */
export const standardFields = ["email", "subscribed", "createdAt", "updatedAt"] as const;

/** The fields that a condition may name, besides `data.<key>`. */
export const filterFields = [...standardFields, "source"] as const;

const dataPrefix = "data.";
const topicPrefix = "topic.";

/** Returns the key of `data` in the name of a field; null for other fields. */
export function dataKeyOf(field: string): string | null {
  return afterPrefix(field, dataPrefix);
}

/** Reports whether contacts can have this field. */
export function isContactField(field: string): boolean {
  return dataKeyOf(field) !== null || standardFields.some((name) => name === field);
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
  return dataKeyOf(field) !== null || topicOf(field) !== null || filterFields.some((name) => name === field);
}

/** Returns the rest of a name after the prefix; null for a name without it, or with nothing else. */
export function afterPrefix(field: string, prefix: string): string | null {
  return field.startsWith(prefix) && field.length > prefix.length ? field.slice(prefix.length) : null;
}
