import { type SQL, sql } from "drizzle-orm";
import { type Id, publicId } from "../../core/ids";
import type { PutOff } from "../../core/outbound/verdict";
import { minuteMs } from "../../core/time";
import { retryForMs } from "../../core/webhooks/verdict";
import { inProject } from "../../db/scope";
import { type Statement, statement } from "../../db/statement";
import type { WebhookRow } from "../../db/tables";
import { insertEvents } from "../../engine/events/record";
import { notPostponed, postponed } from "../../engine/outbound/put-off";
import type { Context } from "../../platform/context";
import type { Attempt } from "./attempt";
import type { ClaimedDelivery } from "./delivery";
import { deleteListeners } from "./listener-rows";

/** A success of an endpoint is recorded at most once in this time, in order to write fewer rows. */
const successRecordedEveryMs = minuteMs;

/**
 * Returns the statements that record an attempt. The caller's batch must end with `updateDue`. A result that arrives
 * late or twice only counts while the delivery is pending, so it never undoes a success.
 */
export function recordAttempt(
  ctx: Context,
  webhook: WebhookRow,
  delivery: ClaimedDelivery,
  made: Attempt,
): Statement[] {
  const recorded = updateDelivery(ctx, webhook.id, delivery.eventId, made);
  // A test has no effect on the endpoint's state: a failing endpoint may be the reason for the test.
  if (delivery.isTest) return [recorded];
  return [recorded, ...recordForEndpoint(ctx, webhook, made)];
}

const statuses = { succeeded: "SUCCEEDED", again: "PENDING", failed: "FAILED" } as const;

function updateDelivery(ctx: Context, webhookId: Id, eventId: Id, { at, verdict, ...result }: Attempt): Statement {
  const next = verdict.kind === "again" ? sql`${at + verdict.waitMs}` : sql`NULL`;
  return statement(
    sql`UPDATE webhook_deliveries SET status = ${statuses[verdict.kind]}, attempts = attempts + 1, next_attempt_at = ${next},
        last_attempt_at = ${at}, status_code = ${result.statusCode}, error = ${unlessErased(ctx, eventId, result.error)},
        response = ${unlessErased(ctx, eventId, result.response)}
      WHERE ${inProject(ctx)} AND webhook_id = ${webhookId} AND event_id = ${eventId}
        AND status = 'PENDING'`,
  );
}

/**
 * Returns a text about an endpoint's answer, or NULL if the event's contact was erased while the call was made: the
 * text may contain personal data.
 */
function unlessErased(ctx: Context, eventId: Id, said: string | null): SQL {
  return sql`iif(EXISTS (SELECT 1 FROM events e WHERE ${inProject(ctx, "e")} AND e.id = ${eventId} AND e.contact_id IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM contacts c WHERE ${inProject(ctx, "c")} AND c.id = e.contact_id)), NULL, ${said})`;
}

function recordForEndpoint(ctx: Context, webhook: WebhookRow, { at, verdict, error }: Attempt): Statement[] {
  if (verdict.kind === "succeeded") return [updateSucceeded(ctx, webhook.id, at)];
  const failed = updateFailed(ctx, webhook.id, at, verdict.putOff);
  if (verdict.kind === "again") return [failed];
  if (verdict.isGone)
    return [
      failed,
      ...updateDisabled(ctx, webhook, at, { reason: "The endpoint answered 410 Gone.", onlyIf: sql`true` }),
    ];
  const reason = `No delivery has succeeded for 3 days. The last attempt: ${error ?? ""}`.trim();
  return [failed, ...updateDisabled(ctx, webhook, at, { reason, onlyIf: sql`w.failing_since <= ${at - retryForMs}` })];
}

function updateSucceeded(ctx: Context, id: Id, at: number): Statement {
  return statement(
    sql`UPDATE webhooks SET last_success_at = ${at}, failing_since = NULL, ${notPostponed}
      WHERE ${inProject(ctx)} AND id = ${id}
        AND (failing_since IS NOT NULL OR coalesce(last_success_at, 0) < ${at - successRecordedEveryMs})`,
  );
}

function updateFailed(ctx: Context, id: Id, at: number, putOff: PutOff): Statement {
  return statement(
    sql`UPDATE webhooks SET failing_since = coalesce(failing_since, ${at}), ${postponed(at, putOff)}
      WHERE ${inProject(ctx)} AND id = ${id}`,
  );
}

/**
 * Disables an endpoint that is still enabled, and inserts an event about it. The endpoint's listener rows are deleted
 * first, so that it does not receive that event itself.
 */
function updateDisabled(
  ctx: Context,
  { id, url }: WebhookRow,
  at: number,
  { reason, onlyIf }: { reason: string; onlyIf: SQL },
): Statement[] {
  const isTarget = sql`FROM webhooks w WHERE ${inProject(ctx, "w")} AND w.id = ${id}
    AND w.disabled_at IS NULL AND ${onlyIf}`;
  const data = JSON.stringify({ webhookId: publicId(id), url, reason });
  const rows = sql`SELECT w.project_id, 'webhook.disabled' AS name, NULL AS contact_id, NULL AS email_id, ${data} AS data
    ${isTarget}`;
  return [
    deleteListeners(ctx, id, sql`EXISTS (SELECT 1 ${isTarget})`),
    insertEvents(ctx, { rows }),
    statement(
      sql`UPDATE webhooks AS w SET disabled_at = ${at}, disabled_reason = ${reason}, updated_at = max(updated_at, ${at})
        WHERE ${inProject(ctx, "w")} AND w.id = ${id} AND w.disabled_at IS NULL AND ${onlyIf}`,
    ),
  ];
}
