import { and, eq } from "drizzle-orm";
import { z } from "zod";
import { type Id, asId as idOf, publicId } from "../../core/ids";
import { openBatch } from "../../db/batch";
import { inProject } from "../../db/scope";
import { type JobRow, webhooks } from "../../db/tables";
import { guardState, type Step, updateEnded } from "../../engine/jobs/step";
import { updateDue } from "../../engine/outbound/rows";
import { type Context, inRealTime } from "../../platform/context";
import { attempt } from "./attempt";
import { readDeliveries } from "./delivery";
import { recordAttempt } from "./record";
import { webhookRows } from "./rows";

/** An attempt that a caller requested. The job reports the outcome. */
export interface QueuedTry {
  jobId: Id;
  deliveryId: Id;
}

export function queuedTryJson({ jobId, deliveryId }: QueuedTry) {
  return { jobId: publicId(jobId), deliveryId: publicId(deliveryId) };
}

const StoredId = z.string().transform(idOf);
const Input = z.object({ webhookId: StoredId, eventId: StoredId });

/** Runs the only step of `webhooks.try`. The job completes when the call was made, whatever the outcome. */
export async function tryDelivery(given: Context, row: JobRow): Promise<Step> {
  const ctx = inRealTime(given);
  const { webhookId, eventId } = Input.parse(row.input);
  const webhook = await ctx.db
    .select()
    .from(webhooks)
    .where(and(inProject(ctx), eq(webhooks.id, webhookId)))
    .get();
  const [delivery] = await readDeliveries(ctx, webhookId, [eventId]);
  const batch = openBatch(ctx);
  batch.add(guardState(ctx, row));
  if (!webhook || !delivery) {
    batch.add(updateEnded(ctx, row, { status: "failed", reason: "The webhook was deleted." }));
  } else {
    const made = await attempt(ctx, webhook, delivery);
    const { verdict, statusCode, error } = made;
    const result = { deliveryId: publicId(eventId), succeeded: verdict.kind === "succeeded", statusCode, error };
    batch.addAll(recordAttempt(ctx, webhook, delivery, made));
    batch.add(updateDue(ctx, webhookRows, [webhookId]));
    batch.add(updateEnded(ctx, row, { status: "completed", result }));
  }
  await batch.commit();
  return "ended";
}
