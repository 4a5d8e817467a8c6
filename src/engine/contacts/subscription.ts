import { type SQL, sql } from "drizzle-orm";
import type { Id } from "../../core/ids";
import { asId, columns } from "../../db/rows";
import { noRows, type Statement, statement } from "../../db/statement";
import type { Context } from "../../platform/context";
import { insertEvents } from "../events/record";
import { upsertCounts } from "./counts";

/** A change of the subscription of one or several contacts. */
export interface SubscriptionChange {
  /** A query for the ids of the contacts. Nothing happens when it returns none. */
  contactId: SQL;
  subscribed: boolean;
  /** The data of the `contact.subscribed` or `contact.unsubscribed` event. */
  eventData: Record<string, string>;
  /**
   * Whether the person asked for the change. If so, even a contact that was never subscribed counts as opted out
   * afterwards.
   */
  isSaidBySelf?: boolean;
  /** The workflows that led to the change of the current row of `contacts`, as a JSON array. */
  causes?: SQL;
  /** Whether a public key caused the change of the current row of `contacts`. */
  isPublic?: SQL;
  at: number;
}

/** Returns the name of the event for a changed subscription. */
export function nameOfFlip(subscribed: boolean): "contact.subscribed" | "contact.unsubscribed" {
  return subscribed ? "contact.subscribed" : "contact.unsubscribed";
}

/**
 * Returns the statements that subscribe or unsubscribe contacts and end their snooze. Each real change causes one
 * event. The statements must go into one batch in this order, because the statement of the events compares with the
 * state before the change.
 */
export function updateSubscription(ctx: Context, change: SubscriptionChange): Statement[] {
  const { contactId, subscribed, eventData, causes, isPublic = sql`false`, at } = change;
  const name = nameOfFlip(subscribed);
  // Compares both columns as a pair. If the project were compared alone, the planner would scan all of its contacts.
  const isContact = sql`(project_id, id) IN (SELECT ${ctx.project.number}, * FROM (${contactId}))`;
  const isChanged = subscribed
    ? sql`${isContact} AND (NOT subscribed OR snoozed_until IS NOT NULL)`
    : sql`${isContact} AND (subscribed OR snoozed_until IS NOT NULL${orNeverSaid(change)})`;
  const changes = subscribed
    ? sql`subscribed = true, opted_out_at = NULL, opted_out_by = NULL`
    : sql`subscribed = false, opted_out_at = ${leftAt(change)}, opted_out_by = ${leftBy(change)}`;
  return [
    insertEvents(ctx, {
      rows: sql`SELECT project_id, ${name} AS name, id AS contact_id, NULL AS email_id,
          ${JSON.stringify(eventData)} AS data, ${isPublic} AS is_public${causes ? sql`, ${causes} AS causes` : sql``}
        FROM contacts WHERE ${isContact} AND subscribed <> ${subscribed}`,
      hasCauses: causes !== undefined,
      isPublic: sql`o.is_public`,
    }),
    statement(
      sql`UPDATE contacts SET ${changes}, snoozed_until = NULL, version = version + 1, updated_at = max(updated_at, ${at})
        WHERE ${isChanged}`,
      noRows,
      { before: [upsertCounts(flips(isChanged, sql`${subscribed}`))] },
    ),
  ];
}

/**
 * Selects the differences for `upsertCounts` when the subscription of contacts that match `isChanged` becomes
 * `subscribed`.
 */
export function flips(isChanged: SQL, subscribed: SQL): SQL {
  return sql`SELECT project_id, 0 AS contacts, ${subscribed} - subscribed AS subscribed FROM contacts WHERE ${isChanged}`;
}

/** Keeps a person's own opt-out recorded as such, even if the API unsubscribes the contact later. */
function leftBy({ isSaidBySelf = false }: SubscriptionChange): SQL {
  if (isSaidBySelf) return sql`'PERSON'`;
  return sql`CASE WHEN subscribed OR snoozed_until IS NOT NULL THEN 'API' ELSE opted_out_by END`;
}

function leftAt({ isSaidBySelf = false, at }: SubscriptionChange): SQL {
  const before = isSaidBySelf ? sql`coalesce(opted_out_at, ${at})` : sql`opted_out_at`;
  return sql`CASE WHEN subscribed OR snoozed_until IS NOT NULL THEN ${at} ELSE ${before} END`;
}

/**
 * Returns a condition to add when the person asks for the change. It also matches contacts that were never subscribed
 * or that the API unsubscribed, so that the opt-out becomes the person's own.
 */
function orNeverSaid({ isSaidBySelf = false }: SubscriptionChange): SQL {
  return isSaidBySelf ? sql` OR opted_out_by IS NOT 'PERSON'` : sql``;
}

/** Whether the address of the current row of `contacts` is suppressed. */
export const isSuppressed: SQL = sql`EXISTS (SELECT 1 FROM suppressions s
  WHERE s.project_id = contacts.project_id AND s.email = contacts.email)`;

/** The data of the events at the start and at the end of a snooze. */
export const snoozeReason = JSON.stringify({ reason: "snooze" });

/** The statements that end snoozes: see `updateSnoozed`. */
export interface EndedSnoozes {
  events: Statement;
  contacts: Statement<{ id: Id }>;
}

/**
 * Ends snoozes: contacts among `who` are subscribed again, with one event each. For a suppressed address, only the
 * snooze ends. The statement of the events must come first in the batch, because `who` no longer matches the contacts
 * after the update.
 */
export function updateSnoozed(
  ctx: Pick<Context, "databaseNow" | "realDatabaseNow">,
  { who, at }: { who: SQL; at: number },
): EndedSnoozes {
  return {
    events: insertEvents(ctx, {
      rows: sql`SELECT project_id, 'contact.subscribed' AS name, id AS contact_id, NULL AS email_id,
          ${snoozeReason} AS data
        FROM contacts WHERE ${who} AND NOT subscribed AND NOT ${isSuppressed}`,
    }),
    contacts: statement(
      sql`UPDATE contacts SET subscribed = NOT ${isSuppressed}, snoozed_until = NULL,
          opted_out_at = CASE WHEN ${isSuppressed} THEN opted_out_at END,
          opted_out_by = CASE WHEN ${isSuppressed} THEN opted_out_by END, version = version + 1,
          updated_at = max(updated_at, ${at})
        WHERE ${who} RETURNING id`,
      columns({ id: asId }),
      { before: [upsertCounts(flips(who, sql`(NOT ${isSuppressed})`))] },
    ),
  };
}
