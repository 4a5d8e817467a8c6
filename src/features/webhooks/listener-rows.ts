import { type SQL, sql } from "drizzle-orm";
import type { Id } from "../../core/ids";
import { inProject } from "../../db/scope";
import { type Statement, statement } from "../../db/statement";
import type { Context } from "../../platform/context";
import { listenerId } from "./webhook";

/**
 * Replaces the webhook's listener rows with one for each event name in its `webhooks` row. A disabled webhook has no
 * listener rows.
 */
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
