import { type SQL, sql } from "drizzle-orm";
import { confirmGoesFirst } from "../../core/contacts/confirmation";
import type { Context } from "../../platform/context";

/**
 * Whether the caller may subscribe people who opted out themselves (on a page, by one click or by a complaint). Anyone
 * can read a public key, so calls with it may do this only if the operator allows it.
 */
export function mayLiftOptOuts({ keyKind, project }: Context): boolean {
  return keyKind === "secret" || project.publicKeyMayResubscribe;
}

/**
 * Returns the subscription that a call with `confirm: true` sets at once: false unsubscribes, null leaves the contact
 * as it is.
 */
export function subscriptionWithConfirm({ warnings }: Context, subscribed: boolean | null | undefined): false | null {
  if (subscribed) warnings.push(confirmGoesFirst);
  return subscribed === false ? false : null;
}

/**
 * Returns the subscription of the current contact after a call that sets `subscribed`. If the caller may not lift
 * opt-outs, the person's own opt-out stays.
 */
export function subscribedAfter(ctx: Context, subscribed: boolean): SQL {
  if (!subscribed || mayLiftOptOuts(ctx)) return sql`${subscribed}`;
  return sql`(contacts.opted_out_by IS NOT 'PERSON')`;
}

/**
 * Whether a call that sets `subscribed` would change the subscription of the current row of `contacts`, or end its
 * snooze.
 */
export function changesSubscription(ctx: Context, subscribed: boolean): SQL {
  const isOther = sql`(contacts.subscribed <> ${subscribed} OR contacts.snoozed_until IS NOT NULL)`;
  return subscribed && !mayLiftOptOuts(ctx) ? sql`(${isOther} AND contacts.opted_out_by IS NOT 'PERSON')` : isOther;
}

/** Returns the assignments of an UPDATE that subscribes the current row of `contacts`. */
export function subscribing(ctx: Context): SQL {
  if (mayLiftOptOuts(ctx))
    return sql`subscribed = true, snoozed_until = NULL, opted_out_at = NULL, opted_out_by = NULL`;
  const stays = sql`contacts.opted_out_by IS 'PERSON'`;
  return sql`subscribed = NOT (${stays}), snoozed_until = iif(${stays}, contacts.snoozed_until, NULL),
    opted_out_at = iif(${stays}, contacts.opted_out_at, NULL), opted_out_by = iif(${stays}, 'PERSON', NULL)`;
}
