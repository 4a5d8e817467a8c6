import { type SQL, sql } from "drizzle-orm";
import { Conflict } from "../../core/errors";
import type { Id } from "../../core/ids";
import { openBatch } from "../../db/batch";
import { isUnchanged, Stale, untilFresh } from "../../db/fresh";
import { isDeleted } from "../../db/own-rows";
import { inProject } from "../../db/scope";
import { type Statement, statement } from "../../db/statement";
import { recordChange } from "../../engine/audit/record-change";
import { putAway } from "../../engine/trash/put-away";
import { ofWorkflow } from "../../engine/workflows/graph";
import type { Context } from "../../platform/context";
import { auditedWorkflow } from "./audited";
import { forgetNames } from "./change";
import { getWorkflow } from "./workflow";

/**
 * Implements `DELETE /workflows/{id}`: puts the workflow into the trash, with its steps and transitions. Throws NotFound,
 * and Conflict while executions are active. Ended executions can no longer be read, and stay until the entry is purged.
 */
export async function deleteWorkflow(ctx: Context, id: Id): Promise<void> {
  await untilFresh(async () => {
    const workflow = await getWorkflow(ctx, id);
    const batch = openBatch(ctx);
    batch.recognise(isDeleted("workflows", ctx, id));
    batch.guard(isUnchanged("workflows", workflow.row), () => new Stale());
    batch.guard(sql`NOT EXISTS (${activeExecutions(ctx, id)})`, workflowIsActive);
    recordChange(batch, ctx, auditedWorkflow(ctx, id));
    putAway(batch, ctx, { type: "workflow", id });
    batch.addAll([deleteFrom(ctx, "workflow_transitions", id), deleteFrom(ctx, "workflow_steps", id)]);
    batch.addAll(forgetNames(ctx, workflow));
    batch.add(statement(sql`DELETE FROM workflows WHERE ${inProject(ctx)} AND id = ${id}`));
    await batch.commit();
  }, ctx.random);
}

/** Selects the workflow's active executions from `workflow_executions`, the copy of the shards' rows in D1. */
export function activeExecutions(ctx: Context, workflowId: Id): SQL {
  return sql`SELECT 1 FROM workflow_executions
    WHERE ${ofWorkflow(ctx, workflowId)} AND status IN ('RUNNING', 'WAITING')`;
}

export function workflowIsActive(): Conflict {
  return new Conflict("This workflow has active executions. Nothing was deleted.", {
    suggestion:
      "Cancel the executions with POST /workflows/{id}/executions/cancel-all, or disable the workflow and " +
      "wait until they end.",
  });
}

type Table = "workflow_steps" | "workflow_transitions";

function deleteFrom(ctx: Context, table: Table, workflowId: Id): Statement {
  return statement(sql`DELETE FROM ${sql.identifier(table)} WHERE ${ofWorkflow(ctx, workflowId)}`);
}
