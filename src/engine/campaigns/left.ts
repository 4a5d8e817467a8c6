import { type SQL, sql } from "drizzle-orm";
import type { Id } from "../../core/ids";
import { inProject } from "../../db/scope";
import { type Statement, statement } from "../../db/statement";
import type { Context } from "../../platform/context";
import { updateMarked } from "./mark-pages";

/**
 * Records that the recipient of a campaign's or workflow's email unsubscribed through a link in that email. Must come
 * before the statement that unsubscribes the contact, in the same batch, because `isLeaving` no longer holds
 * afterwards. Each email counts at most once.
 */
export function updateLeftBy(ctx: Context, emailId: Id, isLeaving: SQL): Statement[] {
  const where = sql`${inProject(ctx, "e")} AND e.id = ${emailId} AND coalesce(e.campaign_id, e.effect_id) IS NOT NULL
    AND e.unsubscribed_at IS NULL AND ${isLeaving}`;
  return [
    updateMarked(ctx, { where }),
    statement(sql`UPDATE emails AS e SET unsubscribed_at = ${ctx.now.getTime()} WHERE ${where}`),
  ];
}

/** Matches when the recipient of the email `e` is subscribed, or will be at the end of a snooze. */
export const isStillSubscribed: SQL = sql`EXISTS (SELECT 1 FROM contacts c WHERE c.project_id = e.project_id
  AND c.id = e.contact_id AND (c.subscribed OR c.snoozed_until IS NOT NULL))`;
