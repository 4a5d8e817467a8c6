import { sql } from "drizzle-orm";
import { Conflict, NotFound } from "../../core/errors";
import { type Id, newId } from "../../core/ids";
import { retryForMs } from "../../core/webhooks/verdict";
import { openBatch } from "../../db/batch";
import { isInserted } from "../../db/own-rows";
import { asId, columns } from "../../db/rows";
import { inProject } from "../../db/scope";
import { statement } from "../../db/statement";
import { announceJob, insertJob } from "../../engine/jobs/queue-job";
import { leaseMs, updateDue } from "../../engine/outbound/rows";
import type { Context } from "../../platform/context";
import { webhookRows } from "./rows";
import type { QueuedTry } from "./try";
import { getWebhook } from "./webhook";

/**
 * `POST /webhooks/{id}/deliveries/{deliveryId}/retry`: makes the call at once, with the same `webhook-id`, regardless
 * of the delivery's status. If the call fails, the retries start again.
 */
export async function retryDelivery(ctx: Context, webhookId: Id, deliveryId: Id): Promise<QueuedTry> {
  const webhook = await getWebhook(ctx, webhookId);
  const now = ctx.realClock().getTime();
  const jobId = newId();
  const isTarget = sql`${inProject(ctx)} AND webhook_id = ${webhookId} AND event_id = ${deliveryId}`;
  const batch = openBatch(ctx);
  batch.recognise(isInserted("jobs", ctx, jobId));
  batch.guard(
    sql`NOT EXISTS (SELECT 1 FROM webhooks WHERE ${inProject(ctx)} AND id = ${webhookId}
      AND disabled_at IS NOT NULL)`,
    webhookDisabled,
  );
  batch.add(
    insertJob(ctx, {
      id: jobId,
      type: "webhooks.try",
      input: { webhookId, eventId: deliveryId },
      onlyIf: sql`EXISTS (SELECT 1 FROM webhook_deliveries WHERE ${isTarget})`,
    }),
  );
  const found = batch.add(
    statement(
      sql`UPDATE webhook_deliveries SET status = 'PENDING', attempts = 0, next_attempt_at = ${now + leaseMs},
          tries_until = CASE WHEN is_test THEN ${now} ELSE ${now + retryForMs} END
        WHERE ${isTarget} RETURNING event_id`,
      columns({ eventId: asId }),
      { again: sql`SELECT ${deliveryId} AS event_id` },
    ),
  );
  batch.add(updateDue(ctx, webhookRows, [webhook.id]));
  await batch.commit();
  if (found.count === 0) throw new NotFound("delivery", deliveryId);
  await announceJob(ctx, "webhooks.try", jobId);
  return { jobId, deliveryId };
}

export function webhookDisabled(): Conflict {
  return new Conflict("This webhook is disabled, so it is not called.", {
    suggestion: "Enable the webhook with PATCH /webhooks/{id} and { disabled: false }, or send it a test.",
  });
}
