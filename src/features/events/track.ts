import { sql } from "drizzle-orm";
import { readData } from "../../core/contacts/data";
import { newId, newIdAt } from "../../core/ids";
import { openBatch } from "../../db/batch";
import { upsertContacts } from "../../engine/contacts/upsert";
import { insertEvents } from "../../engine/events/record";
import { insertEffect } from "../../engine/idempotency/effect";
import type { Context } from "../../platform/context";
import type { TrackEvent } from "./schema";

/**
 * `POST /v1/track`: the contact created or changed, and the event written down, in one race-free batch. Data that is
 * not persistent stays on the event alone. `request` is how the call names itself to an idempotency key.
 */
export async function trackEvent(
  ctx: Context,
  call: TrackEvent,
  request: string,
): Promise<{ contactId: string; eventId: string }> {
  const now = ctx.now.getTime();
  const eventId = newIdAt(now);
  const data = readData(call.data ?? {});
  const answer = sql`json_object('success', json('true'), 'data', json_object(
    'contact', (SELECT contact_id FROM events WHERE id = ${eventId}), 'event', ${eventId},
    'timestamp', ${ctx.now.toISOString()}))`;
  const batch = openBatch(ctx);
  batch.addAll(
    upsertContacts(ctx, {
      contacts: [{ id: newId(), email: call.email }],
      data,
      subscribed: call.subscribed ?? null,
      subscribedByDefault: true,
      onlyIf: sql`true`,
    }),
  );
  const event = batch.add(
    insertEvents({
      rows: sql`SELECT project_id, ${call.event} AS name, id AS contact_id, NULL AS email_id,
          ${JSON.stringify(data.own)} AS data
        FROM contacts WHERE project_id = ${ctx.project.id} AND email = ${call.email}`,
      at: now,
      id: sql`${eventId}`,
    }),
  );
  batch.addAll(insertEffect(ctx, { request, response: answer, onlyIf: sql`true` }));
  await batch.commit();
  return { contactId: String(event.one.contactId), eventId };
}
