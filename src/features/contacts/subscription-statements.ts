import { type SQL, sql } from "drizzle-orm";
import { statement } from "../../db/commit";
import type { Context } from "../../platform/context";
import { bornDispatched, eventIdInSql } from "../events/record";

/** What is done to the subscription of one contact. */
export interface SubscriptionChange {
  /** An SQL expression for the contact's id; with none, nothing happens. */
  contactId: SQL;
  subscribed: boolean;
  /** What the event's data says of it. */
  eventData: Record<string, string>;
  /** Somebody who was merely never subscribed has now said no, and counts as opted out. */
  isSaidBySelf?: boolean;
  at: number;
}

/**
 * The statements by which a contact is subscribed or unsubscribed: one event for a real flip and none when nothing
 * changes, and the end of a snooze. For one batch, and in this order: the event compares with the state before it.
 */
export function changeSubscription(ctx: Context, change: SubscriptionChange): D1PreparedStatement[] {
  const { contactId, subscribed, eventData, at } = change;
  const name = subscribed ? "contact.subscribed" : "contact.unsubscribed";
  const isContact = sql`project_id = ${ctx.project.id} AND id = ${contactId}`;
  return [
    statement(
      ctx.db,
      sql`INSERT INTO events (id, project_id, name, contact_id, data, created_at, dispatched_at)
        SELECT ${eventIdInSql(at)}, project_id, ${name}, id, ${JSON.stringify(eventData)}, ${at},
          ${bornDispatched(ctx.project.id, name, at)}
        FROM contacts WHERE ${isContact} AND subscribed <> ${subscribed}`,
    ),
    statement(
      ctx.db,
      subscribed
        ? sql`UPDATE contacts SET subscribed = true, snoozed_until = NULL, opted_out_at = NULL, version = version + 1,
            updated_at = ${at}
          WHERE ${isContact} AND (NOT subscribed OR snoozed_until IS NOT NULL)`
        : sql`UPDATE contacts SET subscribed = false, snoozed_until = NULL, opted_out_at = ${leftAt(change)},
            version = version + 1, updated_at = ${at}
          WHERE ${isContact} AND (subscribed OR snoozed_until IS NOT NULL${orNeverSaid(change)})`,
    ),
  ];
}

function leftAt({ isSaidBySelf = false, at }: SubscriptionChange): SQL {
  const before = isSaidBySelf ? sql`coalesce(opted_out_at, ${at})` : sql`opted_out_at`;
  return sql`CASE WHEN subscribed OR snoozed_until IS NOT NULL THEN ${at} ELSE ${before} END`;
}

function orNeverSaid({ isSaidBySelf = false }: SubscriptionChange): SQL {
  return isSaidBySelf ? sql` OR opted_out_at IS NULL` : sql``;
}
