import { firstIdAt, type Id, newIdAt, textOf, timeOf } from "../../../core/ids";
import { dayMs, hourMs, minuteMs } from "../../../core/time";
import { joinEvents } from "../../../core/workflows/joined-events";
import { startPosition } from "../../../core/workflows/position";
import { wakeByEvent } from "../../../core/workflows/wake";
import { asFlag, asId, asNumber, columns, orNull } from "../../../db/rows";
import type { Delivery, ScheduledStarts, StartByHand } from "../../../platform/workflow-shards";
import { type ExtraColumns, moveExecution } from "./moves";
import {
  dropUnused,
  eventIdsOf,
  eventsOf,
  findExecution,
  insertExecutions,
  type NewExecution,
  saveEvent,
} from "./rows";
import { readExecution, readIdRow, type ShardStore, type StoredExecution, type TakenEvent } from "./store";

/**
 * How long an event that starts workflows is remembered, in milliseconds. An older event starts nothing, because it may
 * have started its workflows before.
 */
const rememberedMs = 30 * dayMs;

/**
 * Takes an event once: wakes the executions of its contact that wait for it, and starts the workflows that the event's
 * row names.
 */
export function deliverEvent(store: ShardStore, delivery: Delivery, now: number): void {
  wakeWaiting(store, delivery, now);
  const { event, starts } = delivery;
  if (starts.length === 0 || timeOf(event.id) < now - rememberedMs) return;
  const isNew = store.all(
    readIdRow,
    "INSERT INTO seen (event_id) VALUES (?) ON CONFLICT DO NOTHING RETURNING event_id AS id",
    textOf(event.id),
  );
  if (isNew.length === 0) return;
  for (const start of starts) startByEvent(store, delivery, start, now);
}

export function forgetSeen(store: ShardStore, now: number): void {
  store.run("DELETE FROM seen WHERE event_id < ?", textOf(firstIdAt(now - rememberedMs)));
}

function wakeWaiting(store: ShardStore, { event, contactId, isPublic, causes }: Delivery, now: number): void {
  const waiting = store.all(
    readExecution,
    "SELECT * FROM executions WHERE contact_id = ? AND awaits = ?",
    ...[textOf(contactId), event.name],
  );
  for (const execution of waiting) wakeOne(store, execution, { event, isPublic, causes }, now);
}

/**
 * Wakes the execution if it waits for the event. The causes of the event then also count as causes of the execution's
 * later events.
 */
export function wakeOne(
  store: ShardStore,
  execution: StoredExecution,
  { event, isPublic, causes }: Pick<Delivery, "event" | "isPublic" | "causes">,
  now: number,
): void {
  if (isPublic && !execution.takesPublic) return;
  const position = wakeByEvent(execution, event);
  if (position === execution) return;
  const joined = joinEvents([...eventsOf(store, execution), event]).events.map(({ id }) => id);
  saveEvent(store, event);
  const all = [...new Set([...execution.causes, ...causes])];
  const extra = {
    ...{ eventId: event.id, ...earlierOf(execution, joined), causes: all },
    isPublic: execution.isPublic || isPublic,
  };
  moveExecution(store, execution, position, now, extra);
  const leftOut = eventIdsOf(execution).filter((id) => !joined.includes(id));
  dropUnused(store, execution.contactId, [...leftOut, event.id]);
}

/** Returns the earlier events to store. An execution with a single event stores none, which saves a row write. */
function earlierOf({ earlier }: StoredExecution, joined: Id[]): Pick<ExtraColumns, "earlier"> {
  const before = joined.slice(0, -1);
  if (before.length > 0) return { earlier: before };
  return earlier === null ? {} : { earlier: null };
}

const readEntry = columns({
  contactId: asId,
  isActive: asFlag,
  publicAt: orNull(asNumber),
  segmentAt: orNull(asNumber),
  tick: orNull(asNumber),
});
type Entry = ReturnType<typeof readEntry>;

/** Times that a start stores in its entry, in order to limit later starts. */
type Mark = Partial<Pick<Entry, "publicAt" | "segmentAt" | "tick">>;

function startByEvent(
  store: ShardStore,
  { event, contactId, isPublic, causes }: Delivery,
  { workflowId, allowReentry }: Delivery["starts"][number],
  now: number,
): void {
  const at = timeOf(event.id);
  const isSegment = event.source === "SYSTEM" && event.name.startsWith("segment.");
  const entry = findEntry(store, workflowId, contactId);
  if (!mayEnter(entry, allowReentry)) return;
  if (isPublic && isNear(entry?.publicAt, at, minuteMs)) return;
  // Events of segments do not contain their causes, so a loop through a segment cannot be detected. It is slowed down
  // instead, to one start per contact and hour.
  if (isSegment && isNear(entry?.segmentAt, at, hourMs)) return;
  saveEvent(store, event);
  const mark = { ...(isPublic ? { publicAt: at } : {}), ...(isSegment ? { segmentAt: at } : {}) };
  enter(store, { workflowId, contactId, causes, event, isPublic, context: null, request: null, mark, now });
}

/** Starts an execution by hand; returns null if the workflow does not let the contact enter. */
export function startByHand(store: ShardStore, given: StartByHand, now: number): StoredExecution | null {
  const request = given.request && { key: given.request.key, until: store.realNow() + given.request.ttlMs };
  if (request !== null) {
    const [first] = store.all(
      readExecution,
      "SELECT * FROM executions WHERE request = ? AND request_until > ?",
      ...[request.key, store.realNow()],
    );
    if (first) return first;
    store.run("UPDATE executions SET request = NULL WHERE request = ?", request.key);
  }
  if (!mayEnter(findEntry(store, given.workflowId, given.contactId), given.allowReentry)) return null;
  const id = enter(store, { ...given, request, causes: [], event: null, isPublic: false, mark: {}, now });
  return findExecution(store, id);
}

/**
 * Starts an execution for each contact, if the tick is newer than the contact's last one. A tick thus starts at most
 * one execution for a contact.
 */
export function startScheduled(store: ShardStore, given: ScheduledStarts, now: number): void {
  const { workflowId, allowReentry, tick } = given;
  const contactIds = [...new Set(given.contactIds)];
  const entries = findEntries(store, workflowId, contactIds);
  const entering = contactIds.filter((contactId) => {
    const entry = entries.get(contactId) ?? null;
    return (entry?.tick ?? 0) < tick && mayEnter(entry, allowReentry);
  });
  const each = { workflowId, causes: [], event: null, isPublic: false, context: null, request: null };
  enterAll(
    store,
    entering.map((contactId) => ({ ...each, contactId, mark: { tick }, now })),
  );
}

/**
 * The maximum number of entries of a contact that are read, newest first. The newest entry alone is not enough, because
 * entries of the same millisecond are in no order. On a test clock, many entries can have the same millisecond.
 */
const maxEntries = 100;

function findEntry(store: ShardStore, workflowId: Id, contactId: Id): Entry | null {
  return findEntries(store, workflowId, [contactId]).get(contactId) ?? null;
}

function findEntries(store: ShardStore, workflowId: Id, contactIds: Id[]): Map<Id, Entry> {
  const entries = store.all(
    readEntry,
    `SELECT e.contact_id, max(e.public_at) AS public_at, max(e.segment_at) AS segment_at, max(e.tick) AS tick,
        max(EXISTS (SELECT 1 FROM executions x WHERE x.id = e.execution_id AND x.completed_at IS NULL)) AS is_active
      FROM json_each(?1) r CROSS JOIN entries e ON e.contact_id = r.value AND e.workflow_id = ?2 AND e.execution_id IN (
        SELECT n.execution_id FROM entries n WHERE n.contact_id = r.value AND n.workflow_id = ?2
        ORDER BY n.execution_id DESC LIMIT ?3)
      GROUP BY e.contact_id`,
    ...[JSON.stringify(contactIds), textOf(workflowId), maxEntries],
  );
  return new Map(entries.map((entry) => [entry.contactId, entry]));
}

/**
 * Any earlier execution blocks a new one, even if it is forgotten. If re-entry is allowed, only an active execution
 * blocks a new one.
 */
function mayEnter(entry: Entry | null, allowReentry: boolean): boolean {
  return entry === null || (allowReentry && !entry.isActive);
}

/**
 * Whether two times are less than `windowMs` apart, in either order, because two close events may arrive in reverse.
 */
function isNear(last: number | null | undefined, at: number, windowMs: number): boolean {
  return last !== null && last !== undefined && Math.abs(at - last) < windowMs;
}

interface Entering
  extends Pick<NewExecution, "workflowId" | "contactId" | "isPublic" | "causes" | "context" | "request"> {
  event: TakenEvent | null;
  mark: Mark;
  now: number;
}

/**
 * Starts an execution. The contact is checked and entered in one synchronous block, so it is never in a workflow twice.
 */
function enter(store: ShardStore, entering: Entering): Id {
  const [id] = enterAll(store, [entering]);
  if (id === undefined) throw new Error("Start did not produce an execution");
  return id;
}

/** Starts an execution for each of the contacts, which are all different. */
function enterAll(store: ShardStore, all: Entering[]): Id[] {
  if (all.length === 0) return [];
  const entering = all.map((one) => ({ ...one, id: newIdAt(one.now) }));
  insertExecutions(
    store,
    entering.map(({ id, workflowId, contactId, isPublic, causes, event, context, request, now }) => ({
      ...{ id, workflowId, contactId, isPublic, context, request, now },
      position: startPosition(now, event?.id ?? null),
      eventId: event?.id ?? null,
      causes: [...new Set([...causes, textOf(workflowId)])],
    })),
  );
  store.run(
    `INSERT INTO entries (workflow_id, contact_id, execution_id, public_at, segment_at, tick)
      SELECT r.value->>'workflowId', r.value->>'contactId', r.value->>'id', r.value->>'publicAt', r.value->>'segmentAt',
        r.value->>'tick' FROM json_each(?) r`,
    JSON.stringify(entering.map(({ id, workflowId, contactId, mark }) => ({ id, workflowId, contactId, ...mark }))),
  );
  return entering.map(({ id }) => id);
}
