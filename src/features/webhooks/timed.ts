import { type SQL, sql } from "drizzle-orm";
import { textOf } from "../../core/ids";
import { asId, columns } from "../../db/rows";
import { select } from "../../db/statement";
import type { Timed } from "../../engine/clock/timed";
import { type Context, inRealTime } from "../../platform/context";
import { webhookCalls } from "./calls";

/** Deliveries count as settled after their first attempt: further attempts wait by the real clock. */
export const timedDeliveries: Timed = {
  name: "deliveries to webhooks",
  isDue: (ctx) => sql`EXISTS (SELECT 1 ${untried(ctx)})`,
  async settle(ctx) {
    const endpoints = await select(ctx.db, sql`SELECT DISTINCT w.id ${untried(ctx)}`, columns({ id: asId }));
    for (const { id } of endpoints) await webhookCalls.takeTurn(inRealTime(ctx), textOf(id), () => false);
  },
};

/** Includes postponed endpoints, because a postponement is by the real clock and not by the project's. */
function untried({ project }: Context): SQL {
  return sql`FROM webhooks w CROSS JOIN webhook_deliveries d INDEXED BY ix_webhook_deliveries_due
      ON d.project_id = w.project_id AND d.webhook_id = w.id
    WHERE w.project_id = ${project.number} AND w.disabled_at IS NULL AND d.next_attempt_at IS NOT NULL
      AND d.status = 'PENDING' AND d.attempts = 0 AND NOT d.is_test`;
}
