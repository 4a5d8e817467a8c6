import { sql } from "drizzle-orm";
import { NotFound } from "../../core/errors";
import type { Id } from "../../core/ids";
import { dayMs } from "../../core/time";
import { newWebhookSecret } from "../../core/webhooks/signature";
import { openBatch } from "../../db/batch";
import { rowById } from "../../db/own-rows";
import { wholeRow } from "../../db/rows";
import { inProject } from "../../db/scope";
import { statement } from "../../db/statement";
import { type WebhookRow, webhooks } from "../../db/tables";
import { recordChange } from "../../engine/audit/record-change";
import type { Context } from "../../platform/context";
import { auditedWebhook } from "./audited";
import { sealSecret } from "./webhook";

const overlapMs = dayMs;

/**
 * `POST /webhooks/{id}/rotate-secret`: replaces the secret. Deliveries are signed with both secrets for a day. After
 * two rotations in a day, the two newest secrets sign.
 */
export async function rotateSecret(
  ctx: Context,
  id: Id,
): Promise<{ row: WebhookRow; secret: string; previousUntil: number }> {
  const now = ctx.now.getTime();
  const until = ctx.realClock().getTime() + overlapMs;
  const secret = newWebhookSecret();
  const sealed = await sealSecret(ctx, id, secret);
  const batch = openBatch(ctx);
  batch.recognise(sql`EXISTS (${rowById("webhooks", ctx, id)} AND secret = ${sealed})`);
  recordChange(batch, ctx, auditedWebhook(ctx, id));
  const rotated = batch.add(
    statement(
      sql`UPDATE webhooks SET old_secret = secret, old_secret_until = ${until}, secret = ${sealed},
          updated_at = max(updated_at, ${now})
        WHERE ${inProject(ctx)} AND id = ${id} RETURNING *`,
      wholeRow(webhooks),
      { again: rowById("webhooks", ctx, id) },
    ),
  );
  await batch.commit();
  if (!rotated.first) throw new NotFound("webhook", id);
  return { row: rotated.first, secret, previousUntil: until };
}
