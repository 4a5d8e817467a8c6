import { publicId, readId } from "../ids";

/** The fields of a contact that are not in its `data`. */
export const standardFields = ["email", "subscribed", "createdAt", "updatedAt"] as const;

/** The fields that a condition may name, besides `data.<key>`. */
export const filterFields = [...standardFields, "source"] as const;

const dataPrefix = "data.";
const eventPrefix = "event.";
const segmentPrefix = "segment.";
const topicPrefix = "topic.";

/** The key of `data` in a field's name; null for other fields. */
export function dataKeyOf(field: string): string | null {
  return afterPrefix(field, dataPrefix);
}

/** Whether contacts can have this field. */
export function isContactField(field: string): boolean {
  return dataKeyOf(field) !== null || standardFields.some((name) => name === field);
}

/** The event in the field of an event operator: bare, or as `event.purchase`. */
export function eventOf(field: string): string {
  return field.startsWith(eventPrefix) ? field.slice(eventPrefix.length) : field;
}

/**
 * The segment of a membership filter: `segment.<id>`, or `segment` with the id as its value. Null when it names none.
 */
export function segmentOf({ field, value }: { field: string; value?: unknown }): string | null {
  const given = field === "segment" ? value : afterPrefix(field, segmentPrefix);
  // A UUID may be written in upper case.
  return typeof given === "string" && given !== "" ? publicId(readId(given)) : null;
}

/** The slug in `topic.<slug>`; null for other fields. */
export function topicOf(field: string): string | null {
  return afterPrefix(field, topicPrefix);
}

export function topicField(slug: string): string {
  return topicPrefix + slug;
}

/** Is this a field of contacts that a condition may name? */
export function isFilterField(field: string): boolean {
  return dataKeyOf(field) !== null || topicOf(field) !== null || filterFields.some((name) => name === field);
}

function afterPrefix(field: string, prefix: string): string | null {
  return field.startsWith(prefix) && field.length > prefix.length ? field.slice(prefix.length) : null;
}
