import { sql } from "drizzle-orm";
import { type SnoozeRequest, snoozeEnd } from "../../core/contacts/snooze";
import { Conflict, NotFound } from "../../core/errors";
import { statement } from "../../db/commit";
import { readRow } from "../../db/rows";
import { type ContactRow, contacts } from "../../db/tables";
import type { Context } from "../../platform/context";
import { commitAndAnnounce } from "../events/announce";
import { recordEvents } from "../events/record";
import { isSuppressed, snoozeReason } from "./subscription";

/**
 * `POST /contacts/{id}/snooze`: unsubscribed for a while, and back by itself; for one who is snoozed already, the end
 * moves. Only of one who is subscribed or snoozed: the end of a snooze would subscribe someone who left for good, or
 * who never was subscribed.
 */
export async function snoozeContact(ctx: Context, id: string, asked: SnoozeRequest): Promise<ContactRow> {
  const until = snoozeEnd(asked, ctx.now);
  const at = ctx.now.getTime();
  const isContact = sql`project_id = ${ctx.project.id} AND id = ${id}`;
  const maySnooze = sql`${isContact} AND (subscribed OR snoozed_until IS NOT NULL) AND NOT ${isSuppressed}`;
  const [, snoozed, found] = await commitAndAnnounce(ctx, [
    recordEvents(ctx.db, {
      rows: sql`SELECT project_id, 'contact.unsubscribed' AS name, id AS contact_id, NULL AS email_id,
          ${snoozeReason} AS data
        FROM contacts WHERE ${maySnooze} AND subscribed`,
      at,
    }),
    statement(
      ctx.db,
      sql`UPDATE contacts SET subscribed = false, snoozed_until = ${until},
          opted_out_at = CASE WHEN subscribed THEN ${at} ELSE opted_out_at END, version = version + 1,
          updated_at = max(updated_at, ${at})
        WHERE ${maySnooze} RETURNING *`,
    ),
    statement(ctx.db, sql`SELECT email, ${isSuppressed} AS is_suppressed FROM contacts WHERE ${isContact}`),
  ]);
  if (snoozed?.[0]) return readRow(contacts, snoozed[0]);
  if (!found?.[0]) throw new NotFound("contact", id);
  throw found[0].is_suppressed ? suppressed(String(found[0].email)) : notSubscribed(String(found[0].email));
}

function suppressed(email: string): Conflict {
  return new Conflict(`${email} is on the suppression list: no mail goes there that could be snoozed.`, {
    suggestion: "Take it off the list with DELETE /suppressions/{email} first, if mail may go there again.",
  });
}

function notSubscribed(email: string): Conflict {
  return new Conflict(`${email} is not subscribed: the end of a snooze would subscribe them.`, {
    suggestion: "Subscribe them first with PATCH /contacts/{id}, if that is what they asked for.",
  });
}
