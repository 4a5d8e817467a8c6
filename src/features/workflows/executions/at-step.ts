import { type SQL, sql } from "drizzle-orm";
import { NotFound } from "../../../core/errors";
import { aboveAllIds, type Id } from "../../../core/ids";
import { openBatch } from "../../../db/batch";
import { asId, asNumber, columns, orNull, wholeRow } from "../../../db/rows";
import { inProject } from "../../../db/scope";
import { select, statement } from "../../../db/statement";
import { type WorkflowExecutionRow, workflowExecutions } from "../../../db/tables";
import type { Context } from "../../../platform/context";
import { workflowExists } from "./execution";
import { rowsPerPart } from "./parts";

// `workflow_executions` has no index by step, because each move of an execution would have to write to it. The
// executions at a step are therefore found by scanning the list, window by window.

/** The maximum number of windows that one call scans. Together they contain at most 250,000 executions. */
const maxWindows = 20;

const readFound = columns({ id: asId });
const readScanned = columns({ seen: asNumber, last: orNull(asId), matching: orNull(asNumber) });

interface StepPage {
  workflowId: Id;
  stepId: Id;
  pageSize: number;
  skipped: number;
}

/**
 * Returns a page of the executions at a step, newest first, and how many there are. `found` is the list's FROM and
 * WHERE clauses. `isPartial` is true if there are older executions that were not scanned.
 */
export async function pageAtStep(
  ctx: Context,
  found: SQL,
  { workflowId, stepId, pageSize, skipped }: StepPage,
): Promise<{ rows: WorkflowExecutionRow[]; total: number; isPartial: boolean }> {
  const ids: Id[] = [];
  let [total, below, isPartial]: [number, Id | null, boolean] = [0, aboveAllIds, false];
  for (let windows = 0; below !== null; windows++) {
    if (windows === maxWindows) {
      isPartial = true;
      break;
    }
    const window: SQL = sql`(SELECT id, current_step_id ${found} AND id < ${below} ORDER BY id DESC LIMIT ${rowsPerPart})`;
    const batch = openBatch(ctx);
    if (windows === 0) batch.guard(workflowExists(ctx, workflowId), () => new NotFound("workflow", workflowId));
    const page = batch.add(
      statement(
        sql`SELECT id FROM ${window} WHERE current_step_id = ${stepId} ORDER BY id DESC
          LIMIT ${pageSize - ids.length} OFFSET ${Math.max(0, skipped - total)}`,
        readFound,
      ),
    );
    const scanned = batch.add(
      statement(
        sql`SELECT count(*) AS seen, min(id) AS last, sum(current_step_id IS ${stepId}) AS matching FROM ${window}`,
        readScanned,
      ),
    );
    await batch.commit();
    const { seen, last, matching } = scanned.one;
    ids.push(...page.all.map(({ id }) => id));
    total += matching ?? 0;
    below = seen === rowsPerPart ? last : null;
  }
  return { rows: await rowsOf(ctx, workflowId, ids), total, isPartial };
}

async function rowsOf(ctx: Context, workflowId: Id, ids: Id[]): Promise<WorkflowExecutionRow[]> {
  if (ids.length === 0) return [];
  return select(
    ctx.db,
    sql`SELECT * FROM workflow_executions WHERE ${inProject(ctx)} AND workflow_id = ${workflowId}
      AND id IN (SELECT value FROM json_each(${JSON.stringify(ids)})) ORDER BY id DESC`,
    wholeRow(workflowExecutions),
  );
}
