import { type SQL, sql } from "drizzle-orm";
import type { Id } from "../../core/ids";
import { type Statement, statement } from "../../db/statement";
import type { Context } from "../../platform/context";
import { updateMarked } from "./mark-pages";

/**
 * Remembers of the mail of a campaign or a workflow that its recipient left by one of its links, and counts it. Goes before the change that
 * lets them leave, in its batch: `isLeaving` is a condition that holds only if they have not left yet. A mail counts once.
 */
export function updateLeftBy(ctx: Context, emailId: Id, isLeaving: SQL): Statement[] {
  const where = sql`e.project_id = ${ctx.project.number} AND e.id = ${emailId} AND coalesce(e.campaign_id, e.effect_id) IS NOT NULL
    AND e.unsubscribed_at IS NULL AND ${isLeaving}`;
  return [
    updateMarked(ctx, { where }),
    statement(sql`UPDATE emails AS e SET unsubscribed_at = ${ctx.now.getTime()} WHERE ${where}`),
  ];
}

/** The recipient of the email `e` is subscribed, or will be at the end of a snooze. */
export const isStillSubscribed: SQL = sql`EXISTS (SELECT 1 FROM contacts c WHERE c.project_id = e.project_id
  AND c.id = e.contact_id AND (c.subscribed OR c.snoozed_until IS NOT NULL))`;
