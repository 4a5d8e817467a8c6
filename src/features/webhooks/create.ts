import { sql } from "drizzle-orm";
import { Conflict } from "../../core/errors";
import { newIdAt } from "../../core/ids";
import { newWebhookSecret } from "../../core/webhooks/signature";
import { openBatch } from "../../db/batch";
import { isInserted, rowById } from "../../db/own-rows";
import { wholeRow } from "../../db/rows";
import { inProject } from "../../db/scope";
import { statement } from "../../db/statement";
import { type WebhookRow, webhooks } from "../../db/tables";
import { recordChange } from "../../engine/audit/record-change";
import { checkOutboundUrl } from "../../platform/check-outbound-url";
import type { Context } from "../../platform/context";
import { auditedWebhook } from "./audited";
import { replaceListeners } from "./listener-rows";
import type { CreateWebhook } from "./schema";
import { sealSecret } from "./webhook";

const maxWebhooks = 20;

/** `POST /webhooks`: creates a webhook. The secret is returned here, and never again. */
export async function createWebhook(
  ctx: Context,
  { url, events, description }: CreateWebhook,
): Promise<{ row: WebhookRow; secret: string }> {
  checkOutboundUrl(ctx, { field: "url", url });
  const now = ctx.now.getTime();
  const id = newIdAt(now);
  const secret = newWebhookSecret();
  const sealed = await sealSecret(ctx, id, secret);
  const batch = openBatch(ctx);
  batch.recognise(isInserted("webhooks", ctx, id));
  batch.guard(sql`(SELECT count(*) FROM webhooks WHERE ${inProject(ctx)}) < ${maxWebhooks}`, tooManyWebhooks);
  recordChange(batch, ctx, auditedWebhook(ctx, id));
  const inserted = batch.add(
    statement(
      sql`INSERT INTO webhooks (project_id, id, url, events, description, secret, updated_at)
        VALUES (${ctx.project.number}, ${id}, ${url}, ${JSON.stringify(events)}, ${description || null}, ${sealed}, ${now})
        RETURNING *`,
      wholeRow(webhooks),
      { again: rowById("webhooks", ctx, id) },
    ),
  );
  batch.addAll(replaceListeners(ctx, id));
  await batch.commit();
  return { row: inserted.one, secret };
}

export function tooManyWebhooks(): Conflict {
  return new Conflict(`This project has ${maxWebhooks} webhooks, which is the most it can have. Nothing was created.`, {
    suggestion: "Delete a webhook that is not used, or let one listen for more events.",
    details: { limit: maxWebhooks },
  });
}
