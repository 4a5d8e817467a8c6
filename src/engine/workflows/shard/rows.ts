import { belowAllIds, type Id, textOf } from "../../../core/ids";
import type { JsonObject } from "../../../core/json";
import type { ExecutionPosition } from "../../../core/workflows/execution";
import { noteChange, numbered } from "./changes";
import { readEvent, readExecution, readIdRow, type ShardStore, type StoredExecution, type TakenEvent } from "./store";

export function findExecution(store: ShardStore, id: Id): StoredExecution | null {
  const [found] = store.all(readExecution, "SELECT * FROM executions WHERE id = ?", textOf(id));
  return found ?? null;
}

/** Returns the id of the newest execution; an id below all others if there is none. */
export function newestId(store: ShardStore): Id {
  const [newest] = store.all(readIdRow, "SELECT coalesce(max(id), '') AS id FROM executions");
  return newest?.id ?? belowAllIds;
}

/** Returns those executions that have not moved since they were read. */
export function unmovedOf<T extends Pick<StoredExecution, "id" | "version">>(store: ShardStore, read: T[]): T[] {
  const unmoved = store.all(
    readIdRow,
    `SELECT e.id FROM json_each(?) r CROSS JOIN executions e ON e.id = r.value->>0 AND e.version = r.value->>1`,
    JSON.stringify(read.map(({ id, version }) => [id, version])),
  );
  const ids = new Set(unmoved.map(({ id }) => id));
  return read.filter(({ id }) => ids.has(id));
}

/** The inputs of a new execution. */
export interface NewExecution {
  id: Id;
  workflowId: Id;
  contactId: Id;
  position: ExecutionPosition;
  eventId: Id | null;
  isPublic: boolean;
  context: JsonObject | null;
  causes: string[];
  /** The idempotency key of the call that started the execution, and when the key expires by the real clock. */
  request: { key: string; until: number } | null;
  now: number;
}

export function insertExecutions(store: ShardStore, given: NewExecution[]): void {
  for (const { n, items } of numbered(store, given)) {
    insertSome(store, n, items);
    noteChange(
      store,
      n,
      items.map(({ id }) => id),
    );
  }
}

function insertSome(store: ShardStore, change: number, given: NewExecution[]): void {
  const items = given.map(({ position, isPublic, context, causes, ...rest }) => ({
    ...rest,
    ...{ status: position.status, enteredAt: position.enteredAt, ordinal: position.ordinal, since: position.since },
    ...{ context: context && JSON.stringify(context), causes: JSON.stringify(causes), isPublic: isPublic ? 1 : 0 },
  }));
  store.run(
    `INSERT INTO executions (id, workflow_id, contact_id, status, entered_at, ordinal, since, attempts,
        records, event_id, takes_public, is_public, context, causes, needs, request, request_until, version, change,
        started_at, updated_at)
      SELECT r.value->>'id', r.value->>'workflowId', r.value->>'contactId', r.value->>'status', r.value->>'enteredAt',
        r.value->>'ordinal', r.value->>'since', 0, '[]', r.value->>'eventId', 1, r.value->>'isPublic', r.value->>'context',
        r.value->>'causes', 'step', r.value->'request'->>'key', r.value->'request'->>'until', 1, ?, r.value->>'now',
        r.value->>'now'
      FROM json_each(?) r`,
    ...[change, JSON.stringify(items)],
  );
}

export function saveEvent(store: ShardStore, { id, name, source, data }: TakenEvent): void {
  store.run(
    "INSERT INTO events (id, name, source, data) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
    ...[textOf(id), name, source, JSON.stringify(data)],
  );
}

/** Returns the events whose data form `event.*` of the execution, oldest first. */
export function eventsOf(store: ShardStore, execution: Pick<StoredExecution, "eventId" | "earlier">): TakenEvent[] {
  const ids = eventIdsOf(execution);
  if (ids.length === 0) return [];
  return store.all(
    readEvent,
    "SELECT v.* FROM json_each(?) r CROSS JOIN events v ON v.id = r.value ORDER BY r.key",
    JSON.stringify(ids),
  );
}

export function eventIdsOf({ eventId, earlier }: Pick<StoredExecution, "eventId" | "earlier">): Id[] {
  return eventId === null ? [] : [...(earlier ?? []), eventId];
}

/**
 * Deletes the events in `eventIds` to which no execution refers. An event is about one contact, so only that contact's
 * executions are searched for `earlier` events.
 */
export function dropUnused(store: ShardStore, contactId: Id, eventIds: Id[]): void {
  if (eventIds.length === 0) return;
  store.run(
    `DELETE FROM events WHERE id IN (SELECT value FROM json_each(?))
      AND NOT EXISTS (SELECT 1 FROM executions e WHERE e.event_id = events.id)
      AND id NOT IN (SELECT r.value FROM executions e INDEXED BY ix_executions_earlier CROSS JOIN json_each(e.earlier) r
        WHERE e.contact_id = ? AND e.earlier IS NOT NULL)`,
    ...[JSON.stringify(eventIds), textOf(contactId)],
  );
}
