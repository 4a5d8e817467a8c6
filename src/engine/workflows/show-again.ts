import { sql } from "drizzle-orm";
import { type Id, textOf } from "../../core/ids";
import { openBatch } from "../../db/batch";
import { inProject } from "../../db/scope";
import { statement } from "../../db/statement";
import type { Context } from "../../platform/context";
import { upsertExecutionCounts } from "./execution-counts";
import type { OpenShard } from "./shards";

/** The exit reason of executions that only the mirror knows. */
export const lostExecution = "The database was restored to an earlier time";

/** A row of the mirror. */
export interface ShownRow {
  workflowId: Id;
  id: Id;
  version: number;
}

/**
 * Brings rows of the mirror up to date with their shard. The mirror is behind when the database was restored to an
 * earlier time: the shard has shown its executions already, and would not do so again. Executions that the shard has
 * forgotten since that time end as CANCELLED.
 */
export async function showAgain(ctx: Context, { address, shard }: OpenShard, rows: ShownRow[]): Promise<void> {
  if (rows.length === 0) return;
  const unknown = new Set((await shard.show(address, rows)).map(textOf));
  const lost = rows.filter(({ id }) => unknown.has(textOf(id)));
  if (lost.length > 0) await endLost(ctx, lost);
}

async function endLost(ctx: Context, lost: ShownRow[]): Promise<void> {
  const items = JSON.stringify(lost.map(({ workflowId, id }) => [workflowId, id]));
  const areLost = sql`${inProject(ctx)} AND status IN ('RUNNING', 'WAITING')
    AND (workflow_id, id) IN (SELECT value->>0, value->>1 FROM json_each(${items}))`;
  const batch = openBatch(ctx);
  // A second run finds no active execution.
  batch.mayRepeat();
  batch.addAll([
    upsertExecutionCounts(
      ctx,
      sql`SELECT workflow_id, id, status AS old_status, 'CANCELLED' AS new_status FROM workflow_executions WHERE ${areLost}`,
    ),
    statement(
      sql`UPDATE workflow_executions SET status = 'CANCELLED', exit_reason = ${lostExecution}, wake_at = NULL, awaits = NULL,
          completed_at = ${ctx.clock().getTime()}, updated_at = ${ctx.clock().getTime()}, version = version + 1
        WHERE ${areLost}`,
    ),
  ]);
  await batch.commit();
}
