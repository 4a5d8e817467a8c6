import { sql } from "drizzle-orm";
import type { Id } from "../../core/ids";
import { secondMs } from "../../core/time";
import { openBatch } from "../../db/batch";
import { wholeRow } from "../../db/rows";
import { type Statement, statement } from "../../db/statement";
import { webhooks } from "../../db/tables";
import type { Context } from "../../platform/context";
import { type Attempt, attempt } from "./attempt";
import { giveBack, readDeliveries, type TakenDelivery, takeDue } from "./delivery";
import { recordAttempt } from "./record";
import { goBehind, updateDue } from "./statements";

/** Then other endpoints have their turn: after so many deliveries, or so much time. */
const deliveriesPerTurn = 20;
const turnMs = 2 * secondMs;

/**
 * One turn of an endpoint: its next deliveries, one call after the other, and one batch for what came of them. It ends with
 * the first call that puts the others off, and early for an endpoint that answers slowly. An endpoint with more waits
 * behind the others for its next turn. A consumer that dies keeps what it took for the time of its lease; then it is
 * delivered again, with the same id.
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
  const recorded: Statement[] = [];
  try {
    for (let next = left.shift(); next !== undefined; next = isOver() ? undefined : left.shift()) {
      const made = await attempt(ctx, webhook, next);
      recorded.push(...recordAttempt(ctx, webhook, next, made));
      if (endsTurn(made)) break;
    }
  } finally {
    await recordTurn(ctx, webhookId, { recorded, left });
  }
}

function endsTurn({ verdict }: Attempt): boolean {
  return verdict.kind !== "succeeded" && (verdict.putOff !== null || (verdict.kind === "failed" && verdict.isGone));
}

/** What was taken and not called is due again. */
async function recordTurn(
  ctx: Context,
  webhookId: Id,
  { recorded, left }: { recorded: Statement[]; left: TakenDelivery[] },
): Promise<void> {
  const batch = openBatch(ctx);
  batch.addAll(recorded);
  const rest = left.map(({ eventId }) => eventId);
  if (rest.length > 0) batch.add(giveBack(ctx, webhookId, rest));
  batch.addAll([goBehind(ctx, webhookId), updateDue(ctx, [webhookId])]);
  await batch.commit();
}
