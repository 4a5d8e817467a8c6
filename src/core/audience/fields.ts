import { publicId, readId } from "../ids";

/** The fields of a contact that are not in its `data`. */
export const standardFields = ["email", "subscribed", "createdAt", "updatedAt"] as const;

/** The fields that a condition may name, besides `data.<key>`. */
export const filterFields = [...standardFields, "source"] as const;

const dataPrefix = "data.";
const eventPrefix = "event.";
const segmentPrefix = "segment.";
const topicPrefix = "topic.";

/** Returns the key of `data` in the name of a field; null for other fields. */
export function dataKeyOf(field: string): string | null {
  return afterPrefix(field, dataPrefix);
}

/** Reports whether contacts can have this field. */
export function isContactField(field: string): boolean {
  return dataKeyOf(field) !== null || standardFields.some((name) => name === field);
}

/** Returns the event that the field of an event operator names: `purchase` or `event.purchase`. */
export function eventOf(field: string): string {
  return field.startsWith(eventPrefix) ? field.slice(eventPrefix.length) : field;
}

/**
 * Returns the segment of a membership filter: `segment.<id>`, or `segment` with the id as its value. Null when the
 * filter names none.
 */
export function segmentOf({ field, value }: { field: string; value?: unknown }): string | null {
  const given = field === "segment" ? value : afterPrefix(field, segmentPrefix);
  // A UUID may be written in upper case, so it is normalized.
  return typeof given === "string" && given !== "" ? publicId(readId(given)) : null;
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

function afterPrefix(field: string, prefix: string): string | null {
  return field.startsWith(prefix) && field.length > prefix.length ? field.slice(prefix.length) : null;
}
