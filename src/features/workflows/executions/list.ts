import { type SQL, sql } from "drizzle-orm";
import { belowAllIds, type Id } from "../../../core/ids";
import type { ExecutionStatus } from "../../../core/workflows/execution";
import { openBatch } from "../../../db/batch";
import { maxRowsPerStatement } from "../../../db/limits";
import { asId, asNumber, columns, orNull, wholeRow } from "../../../db/rows";
import { type Statement, statement } from "../../../db/statement";
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
  const counted = batch.add(countPart(found, belowAllIds));
  const rows = batch.add(
    statement(
      sql`SELECT * ${found} ORDER BY id DESC LIMIT ${pageSize} OFFSET ${(page - 1) * pageSize}`,
      wholeRow(workflowExecutions),
    ),
  );
  await batch.commit();
  const [contexts, more] = await Promise.all([contextsOf(ctx, rows.all), countAfter(ctx, found, counted.one)]);
  const executions = rows.all.map((row) => ({ ...row, context: contexts.get(row.id) ?? {} }));
  return { executions, total: counted.one.count + more };
}

interface CountedPart {
  count: number;
  last: Id | null;
}

/** Counts the next ones, as many as one statement may read. */
function countPart(found: SQL, after: Id): Statement<CountedPart> {
  return statement(
    sql`SELECT count(*) AS count, max(id) AS last FROM (
      SELECT id ${found} AND id > ${after} ORDER BY id LIMIT ${maxRowsPerStatement})`,
    columns({ count: asNumber, last: orNull(asId) }),
  );
}

async function countAfter(ctx: Context, found: SQL, part: CountedPart): Promise<number> {
  let more = 0;
  for (let { count, last } = part; count === maxRowsPerStatement && last !== null; more += count) {
    const batch = openBatch(ctx);
    const next = batch.add(countPart(found, last));
    await batch.commit();
    ({ count, last } = next.one);
  }
  return more;
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
