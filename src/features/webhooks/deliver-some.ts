import { sql } from "drizzle-orm";
import type { Id } from "../../core/ids";
import { secondMs } from "../../core/time";
import { openBatch } from "../../db/batch";
import { wholeRow } from "../../db/rows";
import { inProject } from "../../db/scope";
import { type Statement, statement } from "../../db/statement";
import { webhooks } from "../../db/tables";
import type { Context } from "../../platform/context";
import { type Attempt, attempt } from "./attempt";
import { type ClaimedDelivery, claimDue, readDeliveries, updateUnclaimed } from "./delivery";
import { recordAttempt } from "./record";
import { moveToBack, updateDue } from "./statements";

/** A turn ends after this many deliveries or this much time, so that other endpoints get theirs. */
const deliveriesPerTurn = 20;
const turnMs = 2 * secondMs;

/**
 * Takes one turn of an endpoint: makes its next deliveries, one call after the other, and records them in one batch.
 * The turn ends with the first call that postpones the others, and early for a slow endpoint. An endpoint with more due
 * deliveries waits for its next turn after the others. The deliveries of a consumer that dies are due again after the
 * lease, and are sent with the same id.
 */
export async function deliverSome(ctx: Context, webhookId: Id, isRunOver: () => boolean): Promise<void> {
  const until = ctx.clock().getTime() + turnMs;
  const isOver = () => isRunOver() || ctx.clock().getTime() >= until;
  const claiming = openBatch(ctx);
  const endpoint = claiming.add(
    statement(
      sql`SELECT * FROM webhooks WHERE ${inProject(ctx)} AND id = ${webhookId} AND disabled_at IS NULL`,
      wholeRow(webhooks),
    ),
  );
  const claimed = claiming.add(claimDue(ctx, webhookId, deliveriesPerTurn));
  claiming.add(updateDue(ctx, [webhookId]));
  await claiming.commit();
  const webhook = endpoint.first;
  if (!webhook || claimed.count === 0) return;
  const ids = claimed.all.map(({ eventId }) => eventId);
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

/** Records a turn. Claimed deliveries that were not attempted are due again. */
async function recordTurn(
  ctx: Context,
  webhookId: Id,
  { recorded, left }: { recorded: Statement[]; left: ClaimedDelivery[] },
): Promise<void> {
  const batch = openBatch(ctx);
  batch.addAll(recorded);
  const rest = left.map(({ eventId }) => eventId);
  if (rest.length > 0) batch.add(updateUnclaimed(ctx, webhookId, rest));
  batch.addAll([moveToBack(ctx, webhookId), updateDue(ctx, [webhookId])]);
  await batch.commit();
}
