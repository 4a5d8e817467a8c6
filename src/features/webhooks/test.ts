import { sql } from "drizzle-orm";
import { RateLimited } from "../../core/errors";
import { type Id, newId, newIdAt, textOf } from "../../core/ids";
import { openBatch } from "../../db/batch";
import { isInserted } from "../../db/own-rows";
import { statement } from "../../db/statement";
import { announceJob, insertJob } from "../../engine/jobs/queue-job";
import { leaseMs } from "../../engine/outbound/rows";
import type { Context } from "../../platform/context";
import type { QueuedTry } from "./try";
import { getWebhook } from "./webhook";

/**
 * Each test calls a third party's server, so there are at most ten a minute per webhook, even when API calls are not
 * limited.
 */
const testRate = { perSecond: 10 / 60, burst: 10 };

/**
 * Implements `POST /webhooks/{id}/test`: makes one call with an event without a contact, even when the webhook is
 * disabled.
 */
export async function testWebhook(ctx: Context, webhookId: Id): Promise<QueuedTry> {
  await getWebhook(ctx, webhookId);
  await requireTestQuota(ctx, webhookId);
  const now = ctx.realClock().getTime();
  const [jobId, deliveryId] = [newId(), newIdAt(ctx.now.getTime())];
  const batch = openBatch(ctx);
  batch.recognise(isInserted("jobs", ctx, jobId));
  // A test is attempted only once: `tries_until` is now, so a failure is not retried.
  batch.add(
    statement(
      sql`INSERT INTO webhook_deliveries (project_id, webhook_id, event_id, type, status, next_attempt_at, tries_until,
          is_test)
        VALUES (${ctx.project.number}, ${webhookId}, ${deliveryId}, 'webhook.test', 'PENDING', ${now + leaseMs}, ${now},
          true)`,
    ),
  );
  batch.add(insertJob(ctx, { id: jobId, type: "webhooks.try", input: { webhookId, eventId: deliveryId } }));
  await batch.commit();
  await announceJob(ctx, "webhooks.try", jobId);
  return { jobId, deliveryId };
}

/** Throws RateLimited if the webhook has been tested too often. Allows the test when the gate does not answer. */
async function requireTestQuota(ctx: Context, webhookId: Id): Promise<void> {
  const bucket = { name: `webhook-test:${textOf(webhookId)}`, rate: testRate };
  const admitted = await ctx.gate.admit(ctx.project.id, { buckets: [bucket], key: null });
  if (admitted?.rate?.isAllowed === false) throw new RateLimited("webhook test", admitted.rate.retryAfterSeconds);
}
