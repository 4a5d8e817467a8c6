import { sql } from "drizzle-orm";
import { NotFound } from "../../../core/errors";
import type { Id } from "../../../core/ids";
import { isDeleted } from "../../../db/own-rows";
import { statement } from "../../../db/statement";
import { ofWorkflow } from "../../../engine/workflows/graph";
import type { Context } from "../../../platform/context";
import { changeWorkflow } from "../change";

/** `DELETE /workflows/{id}/transitions/{transitionId}`. Executions that stand before it end after their step. */
export async function deleteTransition(
  ctx: Context,
  { workflowId, transitionId }: { workflowId: Id; transitionId: Id },
): Promise<void> {
  await changeWorkflow(ctx, workflowId, (before) => {
    const transitions = before.transitions.filter(({ id }) => id !== transitionId);
    if (transitions.length === before.transitions.length) throw new NotFound("transition", transitionId);
    return {
      after: { ...before, transitions },
      statements: [
        statement(sql`DELETE FROM workflow_transitions WHERE ${ofWorkflow(ctx, workflowId)} AND id = ${transitionId}`),
      ],
      hasCommitted: isDeleted("workflow_transitions", ctx, transitionId),
    };
  });
}
