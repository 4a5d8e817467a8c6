import { sql } from "drizzle-orm";
import { type Id, textOf } from "../../core/ids";
import { hourMs } from "../../core/time";
import { openBatch } from "../../db/batch";
import { asId, columns, orNull } from "../../db/rows";
import { statement } from "../../db/statement";
import type { Context } from "../../platform/context";
import { cancelledAtOnce, cancelling, cancelSome, workflowRemoved } from "./shard-erase";
import { dropUnused } from "./shard-rows";
import { readNumber, type ShardStore } from "./shard-store";

const readForgotten = columns({ id: asId, workflowId: asId, eventId: orNull(asId) });
const forgottenAtOnce = 500;

/**
 * Forgets executions that finished long ago, first in the mirror and then here: who dies in between does it again.
 * Who entered which workflow stays. Returns whether there may be more.
 */
export async function forgetFinished(ctx: Context, store: ShardStore): Promise<boolean> {
  const before = ctx.clock().getTime() - ctx.config.executionRetentionMs;
  const old = store.all(
    readForgotten,
    `SELECT id, workflow_id, event_id FROM executions WHERE completed_at <= ? AND version <= mirrored
      ORDER BY completed_at LIMIT ?`,
    ...[before, forgottenAtOnce],
  );
  if (old.length === 0) return false;
  const items = JSON.stringify(old.map(({ workflowId, id }) => [workflowId, id]));
  const batch = openBatch(ctx);
  batch.add(
    statement(
      sql`DELETE FROM workflow_executions WHERE project_id = ${ctx.project.number}
        AND (workflow_id, id) IN (SELECT value->>0, value->>1 FROM json_each(${items}))`,
    ),
  );
  await batch.commit();
  const ids = JSON.stringify(old.map(({ id }) => id));
  store.together(() => {
    store.run("DELETE FROM steps WHERE execution_id IN (SELECT value FROM json_each(?))", ids);
    store.run("DELETE FROM executions WHERE id IN (SELECT value FROM json_each(?))", ids);
    dropUnused(
      store,
      old.map(({ eventId }) => eventId),
    );
  });
  return old.length === forgottenAtOnce;
}

/**
 * The executions of a workflow that is gone end, and count as finished since ever: so they are forgotten as others are,
 * some at a time. Who entered it, and what was counted of its steps, goes at once.
 */
export function markForgotten(
  store: ShardStore,
  { workflowId, stepIds, now }: { workflowId: Id; stepIds: Id[]; now: number },
): void {
  const active = cancelling(store, workflowId, workflowRemoved);
  while (cancelSome(store, active, now).count === cancelledAtOnce);
  store.run("UPDATE executions SET completed_at = 0 WHERE workflow_id = ?", textOf(workflowId));
  store.run("DELETE FROM entries WHERE workflow_id = ?", textOf(workflowId));
  store.run("DELETE FROM step_counts WHERE step_id IN (SELECT value FROM json_each(?))", JSON.stringify(stepIds));
}

/** When the next execution is to be forgotten, to the hour, so that many go together. */
export function nextForgetting(store: ShardStore, retentionMs: number): number | null {
  const [row] = store.all(readNumber, "SELECT min(completed_at) AS n FROM executions WHERE completed_at IS NOT NULL");
  return typeof row?.n === "number" ? Math.ceil((row.n + retentionMs) / hourMs) * hourMs : null;
}
