import { type SQL, sql } from "drizzle-orm";
import { aboveAllIds, type Id } from "../../core/ids";
import { dayMs } from "../../core/time";
import type { ExecutionStatus } from "../../core/workflows/execution";
import { asNumber, columns } from "../../db/rows";
import { inProject } from "../../db/scope";
import { type Statement, statement } from "../../db/statement";
import type { Context } from "../../platform/context";
import { ofWorkflow } from "./graph";

/** The statuses, each with its column of `execution_counts`. */
export const statusColumns = {
  RUNNING: "running",
  WAITING: "waiting",
  COMPLETED: "completed",
  EXITED: "exited",
  FAILED: "failed",
  CANCELLED: "cancelled",
} as const satisfies Record<ExecutionStatus, string>;

/**
 * How often each count is made again, in milliseconds, because code of another version may have miscounted after a
 * rollback.
 */
export const countedAgainMs = 7 * dayMs;

const statuses = Object.entries(statusColumns);
const columnNames = listOf(statuses.map(([, column]) => sql.identifier(column)));

/**
 * Updates the stored counts of executions, in the batch that changes their mirror and before the change. `changes` is a
 * SELECT of `workflow_id, id, old_status, new_status`: a row for each execution whose status will change. `old_status`
 * is null for a new execution, and `new_status` for an execution that is deleted. A batch writes one row per workflow,
 * or none when nothing changes.
 *
 * A count in progress has read the executions up to the id `counted_to`. Changes of executions above that id are left
 * out, because the count has yet to read these executions. A workflow gets its row with its first execution and not
 * later, because a row that came later would lack the earlier executions.
 */
export function upsertExecutionCounts(ctx: Context, changes: SQL): Statement {
  const differences = statuses.map(([status]) => sql`sum((x.new_status IS ${status}) - (x.old_status IS ${status}))`);
  const added = statuses.map(([, column]) => {
    const name = sql.identifier(column);
    return sql`${name} = execution_counts.${name} + excluded.${name}`;
  });
  return statement(
    sql`INSERT INTO execution_counts (project_id, workflow_id, ${columnNames}, counted_to, due_at)
      SELECT ${ctx.project.number}, x.workflow_id, ${listOf(differences)}, ${aboveAllIds}, ${ctx.realClock().getTime() + countedAgainMs}
      FROM (${changes}) x
      LEFT JOIN execution_counts c ON ${inProject(ctx, "c")} AND c.workflow_id = x.workflow_id
      WHERE iif(c.workflow_id IS NULL, NOT EXISTS (SELECT 1 FROM workflow_executions e
        WHERE ${inProject(ctx, "e")} AND e.workflow_id = x.workflow_id), x.id <= c.counted_to)
      GROUP BY x.workflow_id
      ON CONFLICT DO UPDATE SET ${listOf(added)}`,
  );
}

/** Whether the stored count of a workflow includes all of its executions. */
export function isCounted(ctx: Context, workflowId: Id): SQL {
  return sql`EXISTS (SELECT 1 FROM execution_counts WHERE ${ofWorkflow(ctx, workflowId)} AND counted_to = ${aboveAllIds})`;
}

/**
 * Selects the number of a workflow's executions, or of those with one status. Selects no row until all of them are
 * counted.
 */
export function selectExecutionCount(
  ctx: Context,
  workflowId: Id,
  status: ExecutionStatus | undefined,
): Statement<{ total: number }> {
  const total = sql.join(
    statuses.flatMap(([name, column]) => (status === undefined || name === status ? sql.identifier(column) : [])),
    sql` + `,
  );
  return statement(
    sql`SELECT ${total} AS total FROM execution_counts
      WHERE ${ofWorkflow(ctx, workflowId)} AND counted_to = ${aboveAllIds}`,
    columns({ total: asNumber }),
  );
}

function listOf(items: readonly (SQL | ReturnType<typeof sql.identifier>)[]): SQL {
  return sql.join([...items], sql`, `);
}
