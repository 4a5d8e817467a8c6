import { sql } from "drizzle-orm";
import { type Id, publicId, timeOf } from "../../core/ids";
import { startListeners } from "../../core/workflows/trigger";
import { openBatch } from "../../db/batch";
import { asFlag, asId, asJson, asOneOf, asText, columns, orNull } from "../../db/rows";
import { inProject } from "../../db/scope";
import { select, statement } from "../../db/statement";
import { isTrouble } from "../../db/trouble";
import type { Context } from "../../platform/context";
import { reasonOf } from "../../platform/log";
import { eventDataColumns, joinEmailOfEvent, readEventData } from "./email-data";
import { type AnnouncedEvent, type EventListener, isByPublicKey, namesMatching } from "./listener";
import type { EventSource } from "./record";

/**
 * Hands events to their listeners, and marks those that all listeners have accepted. A message may arrive twice, late,
 * or while another consumer is working: each listener receives each event at least once, and recognises repeats by the
 * event's id. A listener that was removed meanwhile may miss the event. Throws when a listener did not accept an event.
 * That event keeps waiting, and the others are marked.
 */
export async function dispatchEvents(ctx: Context, eventIds: Id[], listeners: readonly EventListener[]): Promise<void> {
  const waiting = await findWaiting(ctx, eventIds);
  const kinds = new Set(waiting.flatMap(({ listenerIds }) => listenerIds.map(kindOf)));
  const hearings = [...kinds].map(async (kind) => {
    const listener = listeners.find((one) => one.kind === kind) ?? unknown(kind);
    const theirs = waiting.flatMap((event) => {
      const listenerIds = event.listenerIds.filter((id) => kindOf(id) === kind);
      return listenerIds.length > 0 ? [{ ...event, listenerIds }] : [];
    });
    return handOver(ctx, listener, theirs);
  });
  const untaken = new Map((await Promise.all(hearings)).flat());
  const taken = waiting.map(({ id }) => id).filter((id) => !untaken.has(id));
  await markDispatched(ctx, taken);
  if (untaken.size > 0) {
    const [cause] = untaken.values();
    throw new Error(`${untaken.size} of ${waiting.length} events were not accepted`, { cause });
  }
}

/**
 * The number of statements after which an invocation stops handing over events one by one, counted over all messages of
 * a queue batch. The remaining statements are for marking accepted events: one for each of up to a hundred messages.
 */
const maxStatementsOfSplits = 500;

/**
 * Hands over all events at once, which is cheap. If that fails, hands over each event by itself, so that one bad event
 * does not stop the others. The second attempt is left out when the database does not answer, or when the invocation
 * has made too many statements. Returns the events that were not accepted, and why.
 */
async function handOver(
  ctx: Context,
  listener: EventListener,
  events: AnnouncedEvent[],
): Promise<[eventId: Id, error: unknown][]> {
  try {
    await listener.receive(ctx, events);
    return [];
  } catch (error) {
    ctx.log("error", "A listener did not accept its events", {
      listener: listener.kind,
      projectId: ctx.project.id,
      events: events.map(({ id }) => publicId(id)),
      reason: reasonOf(error),
    });
    const untaken = ({ id }: AnnouncedEvent): [Id, unknown] => [id, error];
    if (events.length === 1 || isTrouble(error)) return events.map(untaken);
    const split = events.map((event) =>
      ctx.spent.statements < maxStatementsOfSplits ? handOver(ctx, listener, [event]) : [untaken(event)],
    );
    return (await Promise.all(split)).flat();
  }
}

/**
 * Stands in for a kind of listener that this version does not know. A version that knows the kind may be deployed soon,
 * so the events wait for it.
 */
function unknown(kind: string): EventListener {
  return {
    kind,
    receive: async () => {
      throw new Error("This version does not know this kind of listener");
    },
  };
}

function kindOf(listenerId: string): string {
  return listenerId.split(":", 1)[0] ?? "";
}

const readWaiting = columns({
  id: asId,
  name: asText,
  contactId: orNull(asId),
  emailId: orNull(asId),
  source: asOneOf<EventSource>(),
  isPublic: asFlag,
  causes: asJson<string[]>(),
  starts: asJson<Id[]>(),
  listenerIds: asJson<string[]>(),
});

async function findWaiting(ctx: Context, eventIds: Id[]): Promise<AnnouncedEvent[]> {
  const waiting = await select(
    ctx.db,
    sql`SELECT e.id, e.name, e.contact_id, e.email_id, e.source, ${isByPublicKey("e")} AS is_public, coalesce(e.causes, '[]') AS causes,
        coalesce(e.starts, '[]') AS starts, ${eventDataColumns}, (
        SELECT json_group_array(DISTINCT l.listener_id) FROM event_listeners l
        WHERE l.project_id = e.project_id AND l.name IN ${namesMatching(sql`e.name`)}) AS listener_ids
      FROM json_each(${JSON.stringify(eventIds)}) r
      CROSS JOIN events e ON ${inProject(ctx, "e")} AND e.id = r.value
      ${joinEmailOfEvent}
      WHERE e.next_announce_at IS NOT NULL`,
    (raw) => ({ ...readWaiting(raw), data: readEventData(raw) }),
  );
  return waiting.map((event) => ({
    ...event,
    createdAt: timeOf(event.id),
    // An event that starts workflows is handed to them even if its name no longer has a listener.
    listenerIds: event.starts.length > 0 ? [...event.listenerIds, startListeners.open] : event.listenerIds,
  }));
}

/** Clears the time of the next announcement. An event waits to be dispatched as long as that time is set. */
async function markDispatched(ctx: Context, eventIds: Id[]): Promise<void> {
  if (eventIds.length === 0) return;
  const batch = openBatch(ctx);
  batch.add(
    statement(
      sql`UPDATE events SET next_announce_at = NULL
        WHERE ${inProject(ctx)} AND id IN (SELECT value FROM json_each(${JSON.stringify(eventIds)}))
          AND next_announce_at IS NOT NULL`,
    ),
  );
  await batch.commit();
}
