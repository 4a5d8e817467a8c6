import { sql } from "drizzle-orm";
import { textOf } from "../../core/ids";
import { isAtHome } from "../../db/at-home";
import { asId, asNumber, columns, wholeRow } from "../../db/rows";
import { inProject } from "../../db/scope";
import { select, statement } from "../../db/statement";
import { webhooks } from "../../db/tables";
import { outboundCalls } from "../../engine/outbound/turn";
import { attempt } from "./attempt";
import { readDeliveries } from "./delivery";
import { recordAttempt } from "./record";
import { webhookRows } from "./rows";

const maxFound = 200;

const dueWebhooks = (now: number) =>
  sql`FROM webhooks INDEXED BY ix_webhooks_due WHERE due_at <= ${now} AND ${isAtHome()}`;

/**
 * Makes deliveries a kind of outbound call, whose receivers are the endpoints of webhooks. One batch records a whole
 * turn, because no caller waits for the outcome of a delivery.
 */
export const webhookCalls = outboundCalls({
  kind: "webhook",
  rows: webhookRows,
  message: { type: "webhooks.drain" },
  waiting: dueWebhooks,
  async findDue(db, now, limit = maxFound) {
    const due = await select(
      db,
      sql`SELECT project_id, id, due_at ${dueWebhooks(now)} ORDER BY due_at LIMIT ${limit}`,
      columns({ projectId: asNumber, id: asId, dueAt: asNumber }),
    );
    return due.map(({ projectId, id, dueAt }) => ({ projectId, name: textOf(id), waitsSince: dueAt }));
  },
  begin: (ctx, batch, id) =>
    batch.add(
      statement(
        sql`SELECT * FROM webhooks WHERE ${inProject(ctx)} AND id = ${id} AND disabled_at IS NULL`,
        wholeRow(webhooks),
      ),
    ),
  read: (ctx, webhook, keys) =>
    readDeliveries(
      ctx,
      webhook.id,
      keys.map(({ eventId }) => eventId),
    ),
  make: attempt,
  endsTurn: ({ verdict }) =>
    verdict.kind !== "succeeded" && (verdict.putOff !== null || (verdict.kind === "failed" && verdict.isGone)),
  record(ctx, batch, webhook, delivery, made) {
    batch.addAll(recordAttempt(ctx, webhook, delivery, made));
    return undefined;
  },
  isEachRecorded: false,
});
