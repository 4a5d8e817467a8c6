import { maxDataBytes } from "../contacts/data";
import { type JsonObject, utf8Bytes } from "../json";

/** The joined data of an execution's events, and those events that contribute to it, oldest first. */
export interface JoinedEvents<E> {
  events: E[];
  data: JsonObject;
}

/** Returns those keys of the joined data whose values were sent with a public API key. */
export function publicKeysOf(taken: readonly { source: string; data: JsonObject }[]): string[] {
  const sources = new Map(taken.flatMap(({ source, data }) => Object.keys(data).map((key) => [key, source])));
  return [...sources].flatMap(([key, source]) => (source === "PUBLIC" ? [key] : []));
}

/**
 * Joins the data of an execution's events, which are given oldest first. Each key gets its value from the newest event
 * that has the key. The joined data may be as large as the data of a single event. The newest event is always included
 * whole. The first older event that does not fit is left out, and so are all events before it.
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
