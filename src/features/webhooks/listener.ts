import { sql } from "drizzle-orm";
import { asId, type Id } from "../../core/ids";
import { retryForMs } from "../../core/webhooks/verdict";
import { openBatch } from "../../db/batch";
import { inProject } from "../../db/scope";
import { statement } from "../../db/statement";
import type { AnnouncedEvent, EventListener } from "../../engine/events/listener";
import { updateDue } from "../../engine/outbound/rows";
import type { Context } from "../../platform/context";
import { webhookRows } from "./rows";
import { listenerKind } from "./webhook";

/**
 * Makes webhooks listen to events: inserts one delivery for each event and listening endpoint. The row guarantees that
 * the call is made, and an event that is dispatched twice still has one row. The queue message afterwards only tells
 * consumers to look.
 */
export const webhookListener: EventListener = { kind: listenerKind, receive: addDeliveries };

async function addDeliveries(ctx: Context, events: AnnouncedEvent[]): Promise<void> {
  const now = ctx.realClock().getTime();
  const items = events.flatMap(({ id, name, listenerIds }) =>
    listenerIds.map((listener) => ({ id, name, webhookId: webhookIdOf(listener) })),
  );
  const batch = openBatch(ctx);
  batch.add(
    statement(
      sql`INSERT INTO webhook_deliveries (project_id, webhook_id, event_id, type, status, next_attempt_at, tries_until)
        SELECT w.project_id, w.id, r.value->>'id', r.value->>'name', 'PENDING', ${now}, ${now + retryForMs}
        FROM json_each(${JSON.stringify(items)}) r
        CROSS JOIN webhooks w ON ${inProject(ctx, "w")} AND w.id = r.value->>'webhookId'
        WHERE w.disabled_at IS NULL
        ON CONFLICT DO NOTHING`,
    ),
  );
  batch.add(updateDue(ctx, webhookRows, [...new Set(items.map(({ webhookId }) => webhookId))]));
  await batch.commit();
  await ctx.enqueue([{ message: { type: "webhooks.drain" } }]);
}

function webhookIdOf(listener: string): Id {
  return asId(listener.slice(listenerKind.length + 1));
}
