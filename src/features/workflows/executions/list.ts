import { sql } from "drizzle-orm";
import type { Id } from "../../../core/ids";
import type { ExecutionStatus } from "../../../core/workflows/execution";
import { openBatch } from "../../../db/batch";
import { asNumber, columns, wholeRow } from "../../../db/rows";
import { statement } from "../../../db/statement";
import { type WorkflowExecutionRow, workflowExecutions } from "../../../db/tables";
import { openShard } from "../../../engine/workflows/shards";
import type { Context } from "../../../platform/context";
import type { ExecutionView } from "../../../platform/workflow-shards";
import { requireWorkflow } from "./execution";

interface ExecutionQuery {
  page: number;
  pageSize: number;
  status?: ExecutionStatus;
}

/** One page of a workflow's executions, newest first, by their mirror. Their contexts are in their objects. */
export async function listExecutions(
  ctx: Context,
  workflowId: Id,
  { page, pageSize, status }: ExecutionQuery,
): Promise<{ executions: Omit<ExecutionView, "steps">[]; total: number }> {
  await requireWorkflow(ctx, workflowId);
  const found = sql`FROM workflow_executions WHERE project_id = ${ctx.project.number} AND workflow_id = ${workflowId}
    ${status === undefined ? sql`` : sql`AND status = ${status}`}`;
  const batch = openBatch(ctx);
  const counted = batch.add(statement(sql`SELECT count(*) AS total ${found}`, columns({ total: asNumber })));
  const rows = batch.add(
    statement(
      sql`SELECT * ${found} ORDER BY id DESC LIMIT ${pageSize} OFFSET ${(page - 1) * pageSize}`,
      wholeRow(workflowExecutions),
    ),
  );
  await batch.commit();
  const contexts = await contextsOf(ctx, rows.all);
  const executions = rows.all.map((row) => ({ ...row, context: contexts.get(row.id) ?? {} }));
  return { executions, total: counted.one.total };
}

async function contextsOf(ctx: Context, rows: WorkflowExecutionRow[]): Promise<Map<Id, ExecutionView["context"]>> {
  const shards = Map.groupBy(rows, ({ shard }) => shard);
  const views = await Promise.all(
    [...shards].map(([number, some]) => {
      const { address, shard } = openShard(ctx, ctx.project.number, number);
      return shard.contexts(
        address,
        some.map(({ id }) => id),
      );
    }),
  );
  return new Map(views.flat().map(({ id, context }) => [id, context]));
}
