import { sql } from "drizzle-orm";
import { type Id, textOf } from "../../core/ids";
import type { Page } from "../../core/page";
import { type CursorQuery, listRows } from "../../db/list-rows";
import { inProject } from "../../db/scope";
import { webhookDeliveries } from "../../db/tables";
import type { Context } from "../../platform/context";
import { deliveryJson } from "./delivery";
import { getWebhook } from "./webhook";

/** `GET /webhooks/{id}/deliveries`: lists the deliveries, those of the newest events first. */
export async function listDeliveries(
  ctx: Context,
  webhookId: Id,
  query: CursorQuery,
): Promise<Page<ReturnType<typeof deliveryJson>>> {
  const where = sql`${inProject(ctx)} AND webhook_id = ${webhookId}`;
  const filters = { webhookId: textOf(webhookId) };
  const list = { where, by: "eventId", order: "DESC", filters } as const;
  const [page] = await Promise.all([
    listRows(ctx, webhookDeliveries, query, list, deliveryJson),
    getWebhook(ctx, webhookId),
  ]);
  return page;
}
