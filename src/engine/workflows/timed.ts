import { type SQL, sql } from "drizzle-orm";
import { asNumber, columns } from "../../db/rows";
import { select } from "../../db/statement";
import type { Context } from "../../platform/context";
import type { Timed } from "../clock/timed";
import { openShard } from "./shards";

/**
 * Delays, timeouts of waits, retries of steps, and running executions in projects with a test clock, where shards set
 * no alarms.
 */
export const timedExecutions: Timed = {
  name: "executions of workflows",
  isDue: (ctx) => sql`EXISTS (SELECT 1 ${due(ctx)})`,
  async settle(ctx) {
    const found = await select(ctx.db, sql`SELECT DISTINCT shard ${due(ctx)}`, columns({ shard: asNumber }));
    for (const one of found) {
      const { address, shard } = openShard(ctx, ctx.project.number, one.shard);
      await shard.poke(address);
    }
  },
  nextAt: ({ project, clock }) => sql`SELECT min(wake_at) FROM workflow_executions INDEXED BY ix_workflow_executions_due
    WHERE clock = ${project.number} AND wake_at > ${clock().getTime()} AND project_id = ${project.number}`,
};

function due({ project, clock }: Context): SQL {
  return sql`FROM workflow_executions INDEXED BY ix_workflow_executions_due
    WHERE clock = ${project.number} AND wake_at <= ${clock().getTime()} AND project_id = ${project.number}`;
}
