import { sql } from "drizzle-orm";
import { asId, textOf } from "../../core/ids";
import { asNumber, columns, asId as readId } from "../../db/rows";
import { select } from "../../db/statement";
import type { OutboundCalls } from "../../engine/outbound/drain";
import { deliverSome } from "./deliver-some";

const maxFound = 200;

/** Webhook deliveries, as a kind of outbound calls: the receiver is an endpoint with all its deliveries. */
export const webhookDeliveries: OutboundCalls = {
  kind: "webhook",
  async findDue(db, now) {
    const due = await select(
      db,
      sql`SELECT project_id, id, due_at FROM webhooks INDEXED BY ix_webhooks_due
        WHERE due_at <= ${now} ORDER BY due_at LIMIT ${maxFound}`,
      columns({ projectId: asNumber, id: readId, dueAt: asNumber }),
    );
    return due.map(({ projectId, id, dueAt }) => ({ projectId, name: textOf(id), waitsSince: dueAt }));
  },
  takeTurn: (ctx, name, isOver) => deliverSome(ctx, asId(name), isOver),
};
