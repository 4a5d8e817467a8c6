import { type SQL, sql } from "drizzle-orm";
import type { Id } from "../../core/ids";
import { inProject } from "../../db/scope";
import { type Statement, statement } from "../../db/statement";
import type { Context } from "../../platform/context";
import { listenerId } from "./webhook";

/**
 * Computes when a webhook is due, in SQL: with its next delivery, and not before the time to which it was postponed. A
 * disabled webhook is never due; its waiting deliveries resume when it is enabled again.
 */
export const nextDue = sql`CASE WHEN disabled_at IS NULL THEN (
    SELECT max(min(d.next_attempt_at), coalesce(webhooks.put_off_until, 0))
    FROM webhook_deliveries d INDEXED BY ix_webhook_deliveries_due
    WHERE d.project_id = webhooks.project_id AND d.webhook_id = webhooks.id AND d.next_attempt_at IS NOT NULL) END`;

/** Goes after every change of deliveries, in the same batch. */
export function updateDue(ctx: Context, ids: Id[]): Statement {
  return statement(
    sql`UPDATE webhooks SET due_at = ${nextDue} WHERE ${isOneOf(ctx, ids)} AND due_at IS NOT ${nextDue}`,
  );
}

/**
 * Moves a webhook with more due deliveries behind all other due ones, for every consumer. Without it, webhooks whose
 * oldest delivery waits longest, which are the slow ones, would always be called first. Goes before `updateDue`, and
 * after the statement that records a success, because that clears the postponement.
 */
export function moveToBack(ctx: Context, id: Id): Statement {
  const now = ctx.realClock().getTime();
  return statement(
    sql`UPDATE webhooks SET put_off_until = CAST(max(coalesce(put_off_until, 0), ${now}) AS INTEGER)
      WHERE ${inProject(ctx)} AND id = ${id} AND EXISTS (
        SELECT 1 FROM webhook_deliveries d INDEXED BY ix_webhook_deliveries_due
        WHERE d.project_id = webhooks.project_id AND d.webhook_id = webhooks.id AND d.next_attempt_at <= ${now})`,
  );
}

/** Replaces the webhook's listener rows with those of its own row. A disabled webhook has none. */
export function replaceListeners(ctx: Context, id: Id): Statement[] {
  return [
    deleteListeners(ctx, id),
    statement(
      sql`INSERT INTO event_listeners (project_id, name, listener_id)
        SELECT w.project_id, name.value, ${listenerId(id)} FROM webhooks w, json_each(w.events) name
        WHERE ${inProject(ctx, "w")} AND w.id = ${id} AND w.disabled_at IS NULL`,
    ),
  ];
}

export function deleteListeners(ctx: Context, id: Id, onlyIf: SQL = sql`true`): Statement {
  return statement(
    sql`DELETE FROM event_listeners
      WHERE ${inProject(ctx)} AND listener_id = ${listenerId(id)} AND ${onlyIf}`,
  );
}

export function isOneOf(ctx: Context, ids: Id[]): SQL {
  return sql`${inProject(ctx)} AND id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`;
}
