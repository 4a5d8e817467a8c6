import { sql } from "drizzle-orm";
import type { Id } from "../../core/ids";
import { secondMs } from "../../core/time";
import { openBatch } from "../../db/batch";
import { wholeRow } from "../../db/rows";
import { statement } from "../../db/statement";
import { webhooks } from "../../db/tables";
import type { Context } from "../../platform/context";
import { attempt } from "./attempt";
import { giveBack, readDeliveries, takeDue } from "./delivery";
import { recordAttempt } from "./record";
import { goBehind, updateDue } from "./statements";

/** Then other endpoints have their turn: after so many deliveries, or so much time. */
const deliveriesPerTurn = 20;
const turnMs = 2 * secondMs;

/**
 * One turn of an endpoint: its next deliveries, one call after the other. It ends with the first call that puts the
 * others off, and early for an endpoint that answers slowly. Whoever has more waits behind the others for the next. A consumer that dies keeps what it took for the time of its lease; then it is delivered again, with the
 * same id.
 */
export async function deliverSome(ctx: Context, webhookId: Id, isRunOver: () => boolean): Promise<void> {
  const until = ctx.clock().getTime() + turnMs;
  const isOver = () => isRunOver() || ctx.clock().getTime() >= until;
  const taking = openBatch(ctx);
  const found = taking.add(
    statement(
      sql`SELECT * FROM webhooks WHERE project_id = ${ctx.project.number} AND id = ${webhookId} AND disabled_at IS NULL`,
      wholeRow(webhooks),
    ),
  );
  const taken = taking.add(takeDue(ctx, webhookId, deliveriesPerTurn));
  taking.add(updateDue(ctx, [webhookId]));
  await taking.commit();
  const webhook = found.first;
  if (!webhook || taken.count === 0) return;
  const ids = taken.all.map(({ eventId }) => eventId);
  const left = await readDeliveries(ctx, webhookId, ids);
  for (let next = left.shift(); next !== undefined; next = left.shift()) {
    const made = await attempt(ctx, webhook, next);
    const batch = openBatch(ctx);
    const isPutOff = made.verdict.kind !== "succeeded" && made.verdict.putOff !== null;
    const rest = isPutOff || isOver() ? left.splice(0).map(({ eventId }) => eventId) : [];
    if (rest.length > 0) batch.add(giveBack(ctx, webhookId, rest));
    batch.addAll(recordAttempt(ctx, webhook, next, made));
    if (left.length === 0) batch.addAll([goBehind(ctx, webhookId), updateDue(ctx, [webhookId])]);
    await batch.commit();
  }
}
