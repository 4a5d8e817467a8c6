import { sql } from "drizzle-orm";
import { type Id, textOf } from "../../core/ids";
import { ById, type Page, readCursor, writeCursor } from "../../core/page";
import { openBatch } from "../../db/batch";
import { maxRowsPerStatement } from "../../db/limits";
import { asNumber, columns, wholeRow } from "../../db/rows";
import { inProject } from "../../db/scope";
import { statement } from "../../db/statement";
import { webhookDeliveries } from "../../db/tables";
import type { Context } from "../../platform/context";
import { deliveryJson } from "./delivery";
import { getWebhook } from "./webhook";

const maxCounted = maxRowsPerStatement;

/** `GET /webhooks/{id}/deliveries`: lists the deliveries, those of the newest events first. */
export async function listDeliveries(
  ctx: Context,
  webhookId: Id,
  { cursor, limit }: { cursor?: string; limit: number },
): Promise<Page<ReturnType<typeof deliveryJson>>> {
  const filters = { webhookId: textOf(webhookId) };
  const [after = null] = readCursor(cursor, ById, filters) ?? [];
  await getWebhook(ctx, webhookId);
  const ofWebhook = sql`webhook_deliveries WHERE ${inProject(ctx)} AND webhook_id = ${webhookId}`;
  const isAfter = after === null ? sql`` : sql`AND event_id < ${after}`;
  const batch = openBatch(ctx);
  const found = batch.add(
    statement(
      sql`SELECT * FROM ${ofWebhook} ${isAfter} ORDER BY event_id DESC LIMIT ${limit + 1}`,
      wholeRow(webhookDeliveries),
    ),
  );
  const counted =
    after === null
      ? batch.add(
          statement(
            sql`SELECT count(*) AS total FROM (SELECT 1 FROM ${ofWebhook} LIMIT ${maxCounted})`,
            columns({ total: asNumber }),
          ),
        )
      : null;
  await batch.commit();
  const shown = found.all.slice(0, limit);
  const last = found.count > limit ? shown.at(-1) : undefined;
  const total = counted?.one.total ?? 0;
  return {
    data: shown.map(deliveryJson),
    cursor: last ? writeCursor([textOf(last.eventId)], filters) : "",
    hasMore: last !== undefined,
    total,
    ...(total === maxCounted ? { approximate: true as const, countedAt: ctx.now.toISOString() } : {}),
  };
}
