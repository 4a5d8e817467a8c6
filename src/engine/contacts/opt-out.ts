import { type SQL, sql } from "drizzle-orm";
import { confirmGoesFirst } from "../../core/contacts/confirmation";
import type { Context } from "../../platform/context";

/**
 * Whether the caller may subscribe somebody who has said no themselves: by a page, by one click, by a complaint. A public
 * key is in everybody's hands and may not, unless the operator allows it.
 */
export function mayLiftOptOuts({ keyKind, project }: Context): boolean {
  return keyKind === "secret" || project.publicKeyMayResubscribe;
}

/** What a call with `confirm: true` says of the subscription itself: that it ends, or nothing. */
export function besideConfirm({ warnings }: Context, subscribed: boolean | null | undefined): false | null {
  if (subscribed) warnings.push(confirmGoesFirst);
  return subscribed === false ? false : null;
}

/** The subscription that a contact has after a call that says this: a no of the person's own stays. */
export function subscribedAfter(ctx: Context, subscribed: boolean): SQL {
  if (!subscribed || mayLiftOptOuts(ctx)) return sql`${subscribed}`;
  return sql`(contacts.opted_out_by IS NOT 'PERSON')`;
}

/** Of the row of `contacts` at hand, whether a call that says this changes the subscription, or ends a snooze. */
export function changesSubscription(ctx: Context, subscribed: boolean): SQL {
  const isOther = sql`(contacts.subscribed <> ${subscribed} OR contacts.snoozed_until IS NOT NULL)`;
  return subscribed && !mayLiftOptOuts(ctx) ? sql`(${isOther} AND contacts.opted_out_by IS NOT 'PERSON')` : isOther;
}

/** What the row of `contacts` at hand is set to by a call that subscribes. */
export function subscribing(ctx: Context): SQL {
  if (mayLiftOptOuts(ctx))
    return sql`subscribed = true, snoozed_until = NULL, opted_out_at = NULL, opted_out_by = NULL`;
  const stays = sql`contacts.opted_out_by IS 'PERSON'`;
  return sql`subscribed = NOT (${stays}), snoozed_until = iif(${stays}, contacts.snoozed_until, NULL),
    opted_out_at = iif(${stays}, contacts.opted_out_at, NULL), opted_out_by = iif(${stays}, 'PERSON', NULL)`;
}
