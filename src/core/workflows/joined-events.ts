import { maxDataBytes } from "../contacts/data";
import { type JsonObject, utf8Bytes } from "../json";

/** The joined data of an execution's events, and those events that contribute to it, oldest first. */
export interface JoinedEvents<E> {
  events: E[];
  data: JsonObject;
}

/** Returns the keys of the joined data whose values a public key sent. */
export function publicKeysOf(taken: readonly { source: string; data: JsonObject }[]): string[] {
  const sources = new Map(taken.flatMap(({ source, data }) => Object.keys(data).map((key) => [key, source])));
  return [...sources].flatMap(([key, source]) => (source === "PUBLIC" ? [key] : []));
}

/**
 * Joins the data of an execution's events, which come oldest first: each key has its value from the newest event that
 * has the key. Together they may be as large as one event may. The newest event is always included whole; the first
 * older event that does not fit is left out, together with all earlier ones.
 */
export function joinEvents<E extends { data: JsonObject }>(taken: readonly E[]): JoinedEvents<E> {
  const joined: JoinedEvents<E> = { events: [], data: {} };
  let bytes = 0;
  for (const event of taken.toReversed()) {
    const own = Object.entries(event.data).filter(([key]) => !Object.hasOwn(joined.data, key));
    if (joined.events.length > 0 && own.length === 0) continue;
    const more = Object.fromEntries(own);
    bytes += utf8Bytes(JSON.stringify(more));
    if (joined.events.length > 0 && bytes > maxDataBytes) break;
    joined.events.unshift(event);
    joined.data = { ...more, ...joined.data };
  }
  return joined;
}
