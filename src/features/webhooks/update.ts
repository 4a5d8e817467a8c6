import { type SQL, sql } from "drizzle-orm";
import { NotFound } from "../../core/errors";
import type { Id } from "../../core/ids";
import { openBatch } from "../../db/batch";
import { wholeRow } from "../../db/rows";
import { inProject } from "../../db/scope";
import { statement } from "../../db/statement";
import { type WebhookRow, webhooks } from "../../db/tables";
import { recordChange } from "../../engine/audit/record-change";
import { notPostponed } from "../../engine/outbound/put-off";
import { updateDue } from "../../engine/outbound/rows";
import { checkOutboundUrl } from "../../platform/check-outbound-url";
import type { Context } from "../../platform/context";
import { auditedWebhook } from "./audited";
import { replaceListeners } from "./listener-rows";
import { webhookRows } from "./rows";
import type { UpdateWebhook } from "./schema";

/** `PATCH /webhooks/{id}`: changes only the columns that are sent, so two concurrent changes both take effect. */
export async function updateWebhook(ctx: Context, id: Id, change: UpdateWebhook): Promise<WebhookRow> {
  if (change.url !== undefined) checkOutboundUrl(ctx, { field: "url", url: change.url });
  const batch = openBatch(ctx);
  // A second run writes the same values.
  batch.mayRepeat();
  recordChange(batch, ctx, auditedWebhook(ctx, id));
  batch.add(
    statement(
      sql`UPDATE webhooks SET ${sql.join(assignments(ctx, change), sql`, `)}
        WHERE ${inProject(ctx)} AND id = ${id}`,
    ),
  );
  batch.addAll(replaceListeners(ctx, id));
  batch.add(updateDue(ctx, webhookRows, [id]));
  const updated = batch.add(
    statement(sql`SELECT * FROM webhooks WHERE ${inProject(ctx)} AND id = ${id}`, wholeRow(webhooks)),
  );
  await batch.commit();
  if (!updated.first) throw new NotFound("webhook", id);
  return updated.first;
}

/**
 * A new URL is a new receiver, so the failures of the old one do not count. The same applies when a webhook is enabled
 * again.
 */
const clearedFailures = [sql`failing_since = NULL`, notPostponed];

function assignments(ctx: Context, { url, events, description, disabled }: UpdateWebhook): SQL[] {
  const now = ctx.now.getTime();
  return [
    // Concurrent calls can commit in another order than they arrived in, and `updated_at` must not go back.
    sql`updated_at = max(updated_at, ${now})`,
    ...(url === undefined ? [] : [sql`url = ${url}`]),
    ...(events === undefined ? [] : [sql`events = ${JSON.stringify(events)}`]),
    ...(description === undefined ? [] : [sql`description = ${description || null}`]),
    ...(disabled === true ? [sql`disabled_at = coalesce(disabled_at, ${now})`] : []),
    ...(disabled === false ? [sql`disabled_at = NULL`, sql`disabled_reason = NULL`] : []),
    ...(url !== undefined || disabled === false ? clearedFailures : []),
  ];
}
