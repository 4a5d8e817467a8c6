import type { Id } from "../../../core/ids";
import { asJson, asNumber, columns, type RawRow } from "../../../db/rows";
import { executionsPerChange } from "./changes";
import { readIdRow, type ShardStore, type Value } from "./store";

/**
 * An execution that has not ended waits for a time, waits for an event, or has something to do. In the last case, a row
 * of `changes` names it. A walk over the two indexes and `changes` finds all such executions without reading ended
 * ones, of which a shard stores many more.
 */

/** The indexes of waiting executions. Each `key` sorts before the keys of all rows. */
const indexes: { name: string; isIn: string; key: Record<string, Value> }[] = [
  { name: "ix_executions_wake", isIn: "wake_at IS NOT NULL", key: { wake_at: -1, id: "" } },
  { name: "ix_executions_awaits", isIn: "awaits IS NOT NULL", key: { contact_id: "", awaits: "", id: "" } },
];

/**
 * The position of a walk. `part` is the number of an index, or that of `changes`, which comes after the last index.
 * `after` is the key after which the walk continues there.
 */
export interface WalkCursor {
  part: number;
  after: Value[];
}

export const firstCursor: WalkCursor = beginning(0);

function beginning(part: number): WalkCursor {
  return { part, after: Object.values(indexes[part]?.key ?? { n: -1 }) };
}

/** The executions of one window of a walk. `next` is the position at which the walk continues; null at the end. */
interface Window {
  ids: Id[];
  next: WalkCursor | null;
}

/**
 * Returns the next executions of a walk. Some may be returned twice, and some may have ended. An execution that gets
 * something to do meanwhile has a new change, so the walk still reaches it.
 */
export function activeFrom(store: ShardStore, cursor: WalkCursor, limit: number): Window {
  const index = indexes[cursor.part];
  if (index === undefined) return changedFrom(store, cursor, limit);
  const names = Object.keys(index.key);
  const key = names.join(", ");
  const found = store.all(
    (raw) => ({ ...readIdRow(raw), key: names.map((name) => keyValue(raw[name])) }),
    `SELECT ${key} FROM executions INDEXED BY ${index.name}
      WHERE ${index.isIn} AND (${key}) > (${names.map(() => "?").join(", ")}) ORDER BY ${key} LIMIT ?`,
    ...[...cursor.after, limit],
  );
  const last = found.length === limit ? found.at(-1) : undefined;
  return { ids: found.map(({ id }) => id), next: last ? { ...cursor, after: last.key } : beginning(cursor.part + 1) };
}

function keyValue(value: RawRow[string]): Value {
  return typeof value === "number" ? value : String(value);
}

const readChange = columns({ n: asNumber, ids: asJson<Id[]>() });

function changedFrom(store: ShardStore, { part, after: [n = -1] }: WalkCursor, limit: number): Window {
  const most = Math.ceil(limit / executionsPerChange);
  const found = store.all(readChange, "SELECT n, ids FROM changes WHERE n > ? ORDER BY n LIMIT ?", n, most);
  const last = found.length === most ? found.at(-1) : undefined;
  return { ids: found.flatMap(({ ids }) => ids), next: last ? { part, after: [last.n] } : null };
}

/** The maximum number of executions in one window of a walk. A window takes a few milliseconds. */
const walkedAtOnce = 2_000;

/**
 * Walks over all executions that are active when the walk begins, and lets its caller wait between two windows. A move
 * of an execution may replace an entry that the walk has yet to reach with one that the walk has passed. So the walk
 * also returns the executions that have moved meanwhile.
 */
export function* walkActive(store: ShardStore): Generator<Id[]> {
  const moved = new Set<Id>();
  store.walks.add(moved);
  try {
    let cursor: WalkCursor | null = firstCursor;
    while (cursor !== null || moved.size > 0) {
      const window: Window = cursor === null ? { ids: [], next: null } : activeFrom(store, cursor, walkedAtOnce);
      const ids = [...moved, ...window.ids];
      moved.clear();
      cursor = window.next;
      yield ids;
    }
  } finally {
    store.walks.delete(moved);
  }
}
