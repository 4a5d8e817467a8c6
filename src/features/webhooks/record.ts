import { type SQL, sql } from "drizzle-orm";
import { type Id, publicId } from "../../core/ids";
import { minuteMs } from "../../core/time";
import { type PutOff, triesForMs } from "../../core/webhooks/verdict";
import { type Statement, statement } from "../../db/statement";
import type { WebhookRow } from "../../db/tables";
import { insertEvents } from "../../engine/events/record";
import { putOffUntil } from "../../engine/outbound/put-off";
import type { Context } from "../../platform/context";
import type { Attempt } from "./attempt";
import type { TakenDelivery } from "./delivery";
import { deleteListeners } from "./statements";

/** Not every success is worth a row. */
const successesNotedEveryMs = minuteMs;

/**
 * What a try came to, for one batch, which says behind it when the endpoint is due. A result that comes twice, or late, counts for a delivery that is pending: a
 * success is never undone.
 */
export function recordAttempt(ctx: Context, webhook: WebhookRow, delivery: TakenDelivery, made: Attempt): Statement[] {
  const recorded = updateDelivery(ctx, webhook.id, delivery.eventId, made);
  // A test says nothing about the endpoint's deliveries: it may be what made the customer try.
  if (delivery.isTest) return [recorded];
  return [recorded, ...recordForEndpoint(ctx, webhook, made)];
}

const statuses = { succeeded: "SUCCEEDED", again: "PENDING", failed: "FAILED" } as const;

function updateDelivery(ctx: Context, webhookId: Id, eventId: Id, { at, verdict, ...told }: Attempt): Statement {
  const next = verdict.kind === "again" ? sql`${at + verdict.waitMs}` : sql`NULL`;
  return statement(
    sql`UPDATE webhook_deliveries SET status = ${statuses[verdict.kind]}, attempts = attempts + 1, next_attempt_at = ${next},
        last_attempt_at = ${at}, status_code = ${told.statusCode}, error = ${told.error}, response = ${told.response}
      WHERE project_id = ${ctx.project.number} AND webhook_id = ${webhookId} AND event_id = ${eventId}
        AND status = 'PENDING'`,
  );
}

function recordForEndpoint(ctx: Context, webhook: WebhookRow, { at, verdict, error }: Attempt): Statement[] {
  if (verdict.kind === "succeeded") return [noteSuccess(ctx, webhook.id, at)];
  const noted = noteFailure(ctx, webhook.id, at, verdict.putOff);
  if (verdict.kind === "again") return [noted];
  if (verdict.isGone)
    return [noted, ...disable(ctx, webhook, at, { reason: "It answered 410 Gone.", onlyIf: sql`true` })];
  const reason = `No delivery has succeeded for 3 days. The last try: ${error ?? ""}`.trim();
  return [noted, ...disable(ctx, webhook, at, { reason, onlyIf: sql`w.failing_since <= ${at - triesForMs}` })];
}

function noteSuccess(ctx: Context, id: Id, at: number): Statement {
  return statement(
    sql`UPDATE webhooks SET last_success_at = ${at}, failing_since = NULL, timeouts = 0, put_off_until = NULL
      WHERE project_id = ${ctx.project.number} AND id = ${id}
        AND (failing_since IS NOT NULL OR coalesce(last_success_at, 0) < ${at - successesNotedEveryMs})`,
  );
}

function noteFailure(ctx: Context, id: Id, at: number, putOff: PutOff): Statement {
  const timeouts = putOff === "silent" ? sql`timeouts + 1` : sql`timeouts`;
  return statement(
    sql`UPDATE webhooks SET failing_since = coalesce(failing_since, ${at}), put_off_until = ${putOffUntil(at, putOff)},
        timeouts = ${timeouts}
      WHERE project_id = ${ctx.project.number} AND id = ${id}`,
  );
}

/**
 * Disables an endpoint that is enabled, once, with an event that says so. Its listeners go first, so that it is not
 * told of its own end.
 */
function disable(
  ctx: Context,
  { id, url }: WebhookRow,
  at: number,
  { reason, onlyIf }: { reason: string; onlyIf: SQL },
): Statement[] {
  const isMeant = sql`FROM webhooks w WHERE w.project_id = ${ctx.project.number} AND w.id = ${id}
    AND w.disabled_at IS NULL AND ${onlyIf}`;
  const data = JSON.stringify({ webhookId: publicId(id), url, reason });
  const rows = sql`SELECT w.project_id, 'webhook.disabled' AS name, NULL AS contact_id, NULL AS email_id, ${data} AS data
    ${isMeant}`;
  return [
    deleteListeners(ctx, id, sql`EXISTS (SELECT 1 ${isMeant})`),
    insertEvents(ctx, { rows }),
    statement(
      sql`UPDATE webhooks AS w SET disabled_at = ${at}, disabled_reason = ${reason}, updated_at = max(updated_at, ${at})
        WHERE w.project_id = ${ctx.project.number} AND w.id = ${id} AND w.disabled_at IS NULL AND ${onlyIf}`,
    ),
  ];
}
