import { type SQL, sql } from "drizzle-orm";
import { NotFound } from "../../../core/errors";
import { aboveAllIds, belowAllIds, type Id } from "../../../core/ids";
import type { ExecutionStatus } from "../../../core/workflows/execution";
import { openBatch } from "../../../db/batch";
import { wholeRow } from "../../../db/rows";
import { inProject } from "../../../db/scope";
import { type Statement, select, statement } from "../../../db/statement";
import { type WorkflowExecutionRow, workflowExecutions } from "../../../db/tables";
import { isCounted, selectExecutionCount } from "../../../engine/workflows/execution-counts";
import { openShard } from "../../../engine/workflows/shards";
import type { Context } from "../../../platform/context";
import type { ExecutionView } from "../../../platform/workflow-shards";
import { pageAtStep } from "./at-step";
import { workflowExists } from "./execution";
import { countNewest, type ExecutionPart, partsFrom, rowsPerPart } from "./parts";

interface ExecutionQuery {
  page: number;
  pageSize: number;
  status?: ExecutionStatus;
  contactId?: Id;
  stepId?: Id;
}

/**
 * Returns one page of a workflow's executions, newest first, from `workflow_executions`, the copy in D1. The contexts
 * of the executions come from the shards. Throws NotFound.
 */
export async function listExecutions(
  ctx: Context,
  workflowId: Id,
  { page, pageSize, status, contactId, stepId }: ExecutionQuery,
): Promise<{ executions: Omit<ExecutionView, "steps">[]; total: number; isPartial?: boolean }> {
  const [index, isTheirs] =
    contactId === undefined
      ? [sql``, sql``]
      : [sql`INDEXED BY ix_workflow_executions_contact`, sql`AND contact_id = ${contactId}`];
  const found = sql`FROM workflow_executions ${index} WHERE ${inProject(ctx)} ${isTheirs}
    AND workflow_id = ${workflowId} ${status === undefined ? sql`` : sql`AND status = ${status}`}`;
  const skipped = (page - 1) * pageSize;
  if (stepId !== undefined) {
    const { rows, ...counted } = await pageAtStep(ctx, found, { workflowId, stepId, pageSize, skipped });
    return { executions: await withContexts(ctx, rows), ...counted };
  }
  const batch = openBatch(ctx);
  batch.guard(workflowExists(ctx, workflowId), () => new NotFound("workflow", workflowId));
  const stored = contactId === undefined ? batch.add(selectExecutionCount(ctx, workflowId, status)) : null;
  const isNear = skipped < rowsPerPart;
  // If the count is stored and the page is near the beginning, the parts are not needed. The statement then looks below
  // all ids, and reads no row.
  const isStored = isNear && contactId === undefined ? isCounted(ctx, workflowId) : sql`false`;
  const newest = batch.add(countNewest(found, sql`iif(${isStored}, ${belowAllIds}, ${aboveAllIds})`));
  const near = isNear ? batch.add(selectPage(found, aboveAllIds, pageSize, skipped)) : null;
  await batch.commit();
  const total = stored?.first?.total ?? null;
  if (total !== null && (near || total - skipped <= rowsPerPart)) {
    const rows = near?.all ?? (await lastPage(ctx, found, { pageSize, below: total - skipped }));
    return { executions: await withContexts(ctx, rows), total };
  }
  const counting = partsFrom(ctx, found, newest.one);
  const rows = near?.all ?? (await farPage(ctx, found, await counting, { pageSize, skipped }));
  const [executions, parts] = await Promise.all([withContexts(ctx, rows), counting]);
  return { executions, total: total ?? parts.reduce((sum, { count }) => sum + count, 0) };
}

/**
 * Returns a page of a list with a known total, reading from its end. `below` is the number of executions from the
 * page's first one to the end.
 */
async function lastPage(
  ctx: Context,
  found: SQL,
  { pageSize, below }: { pageSize: number; below: number },
): Promise<WorkflowExecutionRow[]> {
  if (below <= 0) return [];
  const count = Math.min(pageSize, below);
  const ids = sql`SELECT id ${found} ORDER BY id LIMIT ${count} OFFSET ${below - count}`;
  return select(ctx.db, sql`SELECT * ${found} AND id IN (${ids}) ORDER BY id DESC`, wholeRow(workflowExecutions));
}

/** Returns a page that begins below the newest part of the list. */
async function farPage(
  ctx: Context,
  found: SQL,
  parts: ExecutionPart[],
  { pageSize, skipped }: { pageSize: number; skipped: number },
): Promise<WorkflowExecutionRow[]> {
  let left = skipped;
  for (const { count, newest } of parts) {
    if (newest !== null && left < count) {
      const page = selectPage(found, newest, pageSize, left);
      return select(ctx.db, page.sql, page.read);
    }
    left -= count;
  }
  return [];
}

/**
 * Selects a page that begins at `newest`. The ids are selected first, from an index alone. If whole rows were selected
 * at once, SQLite would read executions of every status from the table.
 */
function selectPage(found: SQL, newest: Id, pageSize: number, skipped: number): Statement<WorkflowExecutionRow> {
  const ids = sql`SELECT id ${found} AND id <= ${newest} ORDER BY id DESC LIMIT ${pageSize} OFFSET ${skipped}`;
  return statement(sql`SELECT * ${found} AND id IN (${ids}) ORDER BY id DESC`, wholeRow(workflowExecutions));
}

async function withContexts(ctx: Context, rows: WorkflowExecutionRow[]): Promise<Omit<ExecutionView, "steps">[]> {
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
  const contexts = new Map(views.flat().map(({ id, context }) => [id, context]));
  return rows.map((row) => ({ ...row, context: contexts.get(row.id) ?? {} }));
}
