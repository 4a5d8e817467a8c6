import { type SQL, sql } from "drizzle-orm";
import { aboveAllIds, firstIdAt, type Id } from "../../../core/ids";
import { wakeByTime } from "../../../core/workflows/wake";
import { openBatch } from "../../../db/batch";
import { asFlag, asId, asJson, asOneOf, asText, columns, orNull } from "../../../db/rows";
import { inProject } from "../../../db/scope";
import { type Statement, select, statement } from "../../../db/statement";
import type { Context } from "../../../platform/context";
import { eventDataColumns, joinEmailOfEvent, readEventData } from "../../events/email-data";
import { isByPublicKey, waitListenerId } from "../../events/listener";
import { eventsOfContact } from "../../events/of-contact";
import type { EventSource } from "../steps/arrival";
import { addMirror, type Mirrored } from "./mirror";
import { moveExecutions } from "./moves";
import { findExecution } from "./rows";
import { wakeOne } from "./starts";
import type { StoredExecution, TakenEvent } from "./store";

/**
 * This is how a wait misses no event. First, the object records that the execution waits; from then on, delivered
 * events wake it. Then one batch inserts the listener's row and checks the log. An event committed before that batch is
 * found in the log; an event committed after it has a listener, and is delivered. If the object dies in between, it
 * repeats the check. At its timeout, an execution checks the log once more, because the event may have happened in time
 * although its message is late.
 */

/**
 * Returns the newest event in each contact's log, up to the given millisecond or now; `belowAllIds` if there is none.
 * The results are in the order of `asked`.
 */
export async function readNewest(ctx: Context, asked: { contactId: Id; upTo: number | null }[]): Promise<Id[]> {
  const items = asked.map(({ contactId, upTo }) => [contactId, upTo === null ? aboveAllIds : firstIdAt(upTo + 1)]);
  const newest = eventsOfContact(
    sql`events.id`,
    sql`${inProject(ctx, "events")} AND events.contact_id = r.value->>0 AND events.id < r.value->>1`,
  );
  const rows = await select(
    ctx.db,
    sql`SELECT coalesce((${newest} ORDER BY id DESC LIMIT 1), '') AS id
      FROM json_each(${JSON.stringify(items)}) r ORDER BY r.key`,
    columns({ id: asId }),
  );
  return rows.map(({ id }) => id);
}

/**
 * Checks the log for executions that have just begun to wait, or whose timeout has come: the event may already be
 * there. An execution at its timeout takes the timeout branch unless the event is found.
 */
export async function askLog(ctx: Context, shard: Mirrored, waiting: StoredExecution[]): Promise<void> {
  if (waiting.length === 0) return;
  const { store } = shard;
  const asked = ctx.clock().getTime();
  const batch = openBatch(ctx);
  batch.add(insertListeners(ctx, waiting));
  const note = addMirror(ctx, batch, shard, waiting);
  const found = batch.add(selectFirst(ctx, waiting));
  await batch.commit();
  const now = ctx.clock().getTime();
  store.together(() => {
    store.run(
      `UPDATE executions SET needs = NULL FROM json_each(?) r
        WHERE executions.id = r.value->>0 AND executions.version = r.value->>1 AND executions.needs = 'log'`,
      JSON.stringify(waiting.map(({ id, version }) => [id, version])),
    );
    for (const { executionId, isPublic, causes, ...event } of found.all) {
      const execution = findExecution(store, executionId);
      if (execution) wakeOne(store, execution, { event, isPublic, causes: causes ?? [] }, now);
    }
    const over = waiting.filter(({ wakeAt }) => wakeAt !== null && wakeAt <= asked);
    moveExecutions(
      store,
      over.map((read) => ({ read, position: wakeByTime(read, asked) })),
      now,
    );
    note();
  });
}

function insertListeners(ctx: Context, waiting: StoredExecution[]): Statement {
  const names = JSON.stringify([...new Set(waiting.map(({ awaits }) => awaits))]);
  return statement(
    sql`INSERT INTO event_listeners (project_id, name, listener_id)
      SELECT ${ctx.project.number}, r.value, ${waitListenerId} FROM json_each(${names}) r WHERE true
      ON CONFLICT DO NOTHING`,
  );
}

const readFound = columns({
  executionId: asId,
  id: asId,
  name: asText,
  source: asOneOf<EventSource>(),
  isPublic: asFlag,
  causes: orNull(asJson<string[]>()),
});

/** Selects the first event that ends each execution's wait. */
function selectFirst(
  ctx: Context,
  waiting: StoredExecution[],
): Statement<TakenEvent & { executionId: Id; isPublic: boolean; causes: string[] | null }> {
  const items = JSON.stringify(
    waiting.map(({ id, contactId, awaits, since, takesPublic }) => ({
      ...{ id, contactId, name: awaits, since, takesPublic: takesPublic ? 1 : 0 },
    })),
  );
  const first: SQL = sql`(SELECT min(f.id) FROM events f INDEXED BY ix_events_name
    WHERE ${inProject(ctx, "f")} AND f.name = r.value->>'name' AND f.contact_id = r.value->>'contactId'
      AND f.id > coalesce(r.value->>'since', '') AND (NOT ${isByPublicKey("f")} OR r.value->>'takesPublic'))`;
  return statement(
    sql`SELECT r.value->>'id' AS execution_id, e.id, e.name, e.source, ${isByPublicKey("e")} AS is_public, e.causes, ${eventDataColumns}
      FROM json_each(${items}) r
      CROSS JOIN events e ON ${inProject(ctx, "e")} AND e.id = ${first}
      ${joinEmailOfEvent}`,
    (raw) => ({ ...readFound(raw), data: readEventData(raw) }),
  );
}
