import { sql } from "drizzle-orm";
import { NotFound } from "../../core/errors";
import type { Id } from "../../core/ids";
import { openBatch } from "../../db/batch";
import { isDeleted } from "../../db/own-rows";
import { asId, columns } from "../../db/rows";
import { inProject } from "../../db/scope";
import { statement } from "../../db/statement";
import { recordChange } from "../../engine/audit/record-change";
import type { Context } from "../../platform/context";
import { auditedWebhook } from "./audited";
import { deleteListeners } from "./listener-rows";
import { getWebhook } from "./webhook";

/**
 * `DELETE /webhooks/{id}`: deletes a webhook, which ends its deliveries. Their rows can no longer be read, and are
 * deleted at the end of their retention.
 */
export async function deleteWebhook(ctx: Context, id: Id): Promise<void> {
  await getWebhook(ctx, id);
  const batch = openBatch(ctx);
  batch.recognise(isDeleted("webhooks", ctx, id));
  recordChange(batch, ctx, auditedWebhook(ctx, id));
  const deleted = batch.add(
    statement(sql`DELETE FROM webhooks WHERE ${inProject(ctx)} AND id = ${id} RETURNING id`, columns({ id: asId }), {
      again: sql`SELECT ${id} AS id`,
    }),
  );
  batch.add(deleteListeners(ctx, id));
  await batch.commit();
  if (deleted.count === 0) throw new NotFound("webhook", id);
}
