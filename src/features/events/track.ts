import { sql } from "drizzle-orm";
import { readData } from "../../core/contacts/data";
import { newId } from "../../core/ids";
import { commit, statement } from "../../db/commit";
import type { Context } from "../../platform/context";
import { dataTooBigAsInvalid } from "../contacts/data-limit";
import { upsertContacts } from "../contacts/upsert-statements";
import { effectAsKeyReused, effectStatements } from "../idempotency/effect";
import { bornDispatched } from "./record";
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
  const eventId = newId();
  const data = readData(call.data ?? {});
  const now = ctx.now.getTime();
  const event = statement(
    ctx.db,
    sql`INSERT INTO events (id, project_id, name, contact_id, data, created_at, dispatched_at)
      SELECT ${eventId}, ${ctx.project.id}, ${call.event}, c.id, ${JSON.stringify(data.own)}, ${now},
        ${bornDispatched(ctx.project.id, call.event, now)}
      FROM contacts c WHERE c.project_id = ${ctx.project.id} AND c.email = ${call.email}
      RETURNING contact_id`,
  );
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
  const results = await effectAsKeyReused(ctx, dataTooBigAsInvalid(commit(ctx.db, statements)));
  const [row] = results[statements.indexOf(event)] ?? [];
  return { contactId: String(row?.contact_id), eventId };
}
