import { sql } from "drizzle-orm";
import { readData } from "../../core/contacts/data";
import { newId, newIdAt } from "../../core/ids";
import { dataTooBigAsInvalid } from "../../engine/contacts/data-limit";
import { upsertContacts } from "../../engine/contacts/upsert";
import { commitAndAnnounce } from "../../engine/events/announce";
import { recordEvents } from "../../engine/events/record";
import { effectAsKeyReused, effectStatements } from "../../engine/idempotency/effect";
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
  const event = recordEvents(ctx.db, {
    rows: sql`SELECT project_id, ${call.event} AS name, id AS contact_id, NULL AS email_id,
        ${JSON.stringify(data.own)} AS data
      FROM contacts WHERE project_id = ${ctx.project.id} AND email = ${call.email}`,
    at: now,
    id: sql`${eventId}`,
    returning: sql`contact_id`,
  });
  const answer = sql`json_object('success', json('true'), 'data', json_object(
    'contact', (SELECT contact_id FROM events WHERE id = ${eventId}), 'event', ${eventId},
    'timestamp', ${ctx.now.toISOString()}))`;
  const statements = [
    ...upsertContacts(ctx, {
      contacts: [{ id: newId(), email: call.email }],
      data,
      subscribed: call.subscribed ?? null,
      subscribedByDefault: true,
      onlyIf: sql`true`,
    }),
    event,
    ...effectStatements(ctx, { request, response: answer, onlyIf: sql`true` }),
  ];
  const results = await effectAsKeyReused(ctx, dataTooBigAsInvalid(commitAndAnnounce(ctx, statements)));
  const [row] = results[statements.indexOf(event)] ?? [];
  return { contactId: String(row?.contact_id), eventId };
}
