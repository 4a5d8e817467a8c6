import { type SQL, sql } from "drizzle-orm";
import { aboveAllIds, type Id } from "../../../core/ids";
import type { ExecutionStatus } from "../../../core/workflows/execution";
import { openBatch } from "../../../db/batch";
import { maxRowsPerStatement } from "../../../db/limits";
import { asId, asNumber, columns, orNull, wholeRow } from "../../../db/rows";
import { type Statement, selectOne, statement } from "../../../db/statement";
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
  query: ExecutionQuery,
): Promise<{ executions: Omit<ExecutionView, "steps">[]; total: number }> {
  await requireWorkflow(ctx, workflowId);
  const part = await findPart(ctx, workflowId, query);
  const [contexts, after] = await Promise.all([contextsOf(ctx, part.rows), countBelow(ctx, part)]);
  const executions = part.rows.map((row) => ({ ...row, context: contexts.get(row.id) ?? {} }));
  return { executions, total: part.total + after };
}

/** The part of a list in which a page begins. A statement reads no more than one part of it. */
interface Part {
  found: SQL;
  rows: WorkflowExecutionRow[];
  /** Executions of this part and of those before it. */
  total: number;
  /** The last one of a whole part, below which the next begins. */
  edge: Id | null;
}

/** Goes from part to part until the page begins, or the list has ended. */
async function findPart(ctx: Context, workflowId: Id, { page, pageSize, status }: ExecutionQuery): Promise<Part> {
  const found = sql`FROM workflow_executions WHERE project_id = ${ctx.project.number} AND workflow_id = ${workflowId}
    ${status === undefined ? sql`` : sql`AND status = ${status}`}`;
  let skipped = (page - 1) * pageSize;
  for (let [total, below] = [0, aboveAllIds]; ; ) {
    const batch = openBatch(ctx);
    const counted = batch.add(statement(countPart(found, below), readPart));
    const rows = skipped < rowsPerPart ? batch.add(selectPage(found, below, pageSize, skipped)) : null;
    await batch.commit();
    const { count, edge } = counted.one;
    total += count;
    if (rows !== null || edge === null) return { found, rows: rows?.all ?? [], total, edge };
    [below, skipped] = [edge, skipped - count];
  }
}

async function countBelow(ctx: Context, { found, edge }: Part): Promise<number> {
  let total = 0;
  for (let below = edge; below !== null; ) {
    const part = await selectOne(ctx.db, countPart(found, below), readPart);
    [total, below] = [total + part.count, part.edge];
  }
  return total;
}

/** A statement walks through its part, and through one that is not whole once more. */
const rowsPerPart = maxRowsPerStatement / 2;

/** To find the last one of a whole part is less work than to count it, and says as much. */
function countPart(found: SQL, below: Id): SQL {
  const part = sql`${found} AND id < ${below} ORDER BY id DESC`;
  return sql`WITH last AS MATERIALIZED (SELECT (SELECT id ${part} LIMIT 1 OFFSET ${rowsPerPart - 1}) AS edge)
    SELECT edge, CASE WHEN edge IS NULL THEN (SELECT count(*) FROM (SELECT 1 ${part} LIMIT ${rowsPerPart}))
      ELSE ${rowsPerPart} END AS count FROM last`;
}

const readPart = columns({ count: asNumber, edge: orNull(asId) });

/** Ids are found first: for whole rows SQLite would go through those of all statuses, in the table itself. */
function selectPage(found: SQL, below: Id, pageSize: number, skipped: number): Statement<WorkflowExecutionRow> {
  const ids = sql`SELECT id ${found} AND id < ${below} ORDER BY id DESC LIMIT ${pageSize} OFFSET ${skipped}`;
  return statement(sql`SELECT * ${found} AND id IN (${ids}) ORDER BY id DESC`, wholeRow(workflowExecutions));
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
