import { sql } from "drizzle-orm";
import { type SnoozeRequest, snoozeEnd } from "../../core/contacts/snooze";
import { Conflict, NotFound } from "../../core/errors";
import type { Id } from "../../core/ids";
import { openBatch } from "../../db/batch";
import { asFlag, asText, columns, wholeRow } from "../../db/rows";
import { inProject } from "../../db/scope";
import { statement } from "../../db/statement";
import { type ContactRow, contacts } from "../../db/tables";
import type { Context } from "../../platform/context";
import { insertEvents } from "../events/record";
import { upsertCounts } from "./counts";
import { flips, isSuppressed, snoozeReason } from "./subscription";

/**
 * `POST /contacts/{id}/snooze`: unsubscribes a contact until a given time, or moves the end of a snooze. Only for
 * subscribed or snoozed contacts: the end of the snooze subscribes the contact, which would be wrong for a contact that
 * unsubscribed or was never subscribed.
 */
export async function snoozeContact(
  ctx: Context,
  id: Id,
  asked: SnoozeRequest,
  { isSaidBySelf = false }: { isSaidBySelf?: boolean } = {},
): Promise<ContactRow> {
  const until = snoozeEnd(asked, ctx.now);
  const at = ctx.now.getTime();
  const isContact = sql`${inProject(ctx)} AND id = ${id}`;
  const maySnooze = sql`${isContact} AND (subscribed OR snoozed_until IS NOT NULL) AND NOT ${isSuppressed}`;
  const batch = openBatch(ctx);
  // A second run finds the contact snoozed: it changes no subscription, and sets the same end.
  batch.mayRepeat();
  batch.add(
    insertEvents(ctx, {
      rows: sql`SELECT project_id, 'contact.unsubscribed' AS name, id AS contact_id, NULL AS email_id,
          ${snoozeReason} AS data
        FROM contacts WHERE ${maySnooze} AND subscribed`,
    }),
  );
  const snoozed = batch.add(
    statement(
      sql`UPDATE contacts SET subscribed = false, snoozed_until = ${until},
          opted_out_at = CASE WHEN subscribed THEN ${at} ELSE opted_out_at END,
          opted_out_by = ${isSaidBySelf ? sql`'PERSON'` : sql`CASE WHEN subscribed THEN 'API' ELSE opted_out_by END`},
          version = version + 1, updated_at = max(updated_at, ${at})
        WHERE ${maySnooze} RETURNING *`,
      wholeRow(contacts),
      { before: [upsertCounts(flips(maySnooze, sql`false`))] },
    ),
  );
  const found = batch.add(
    statement(
      sql`SELECT email, ${isSuppressed} AS is_suppressed FROM contacts WHERE ${isContact}`,
      columns({ email: asText, isSuppressed: asFlag }),
    ),
  );
  await batch.commit();
  if (snoozed.first) return snoozed.first;
  if (!found.first) throw new NotFound("contact", id);
  throw found.first.isSuppressed ? suppressed(found.first.email) : notSubscribed(found.first.email);
}

function suppressed(email: string): Conflict {
  return new Conflict(`${email} is on the suppression list and gets no mail, so it cannot be snoozed.`, {
    suggestion:
      "If mail may go to this address again, remove it from the list with DELETE /suppressions/{email} first.",
  });
}

export function notSubscribed(email: string): Conflict {
  return new Conflict(
    `${email} is not subscribed and cannot be snoozed: the end of the snooze would subscribe this contact.`,
    {
      suggestion: "If this person asked for it, subscribe the contact with PATCH /contacts/{id} first.",
    },
  );
}
