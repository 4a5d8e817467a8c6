import { sql } from "drizzle-orm";
import { Conflict } from "../../../core/errors";
import { guard, type Statement } from "../../../db/statement";
import type { WorkflowStepRow } from "../../../db/tables";
import type { Context } from "../../../platform/context";
import { activeExecutions } from "../delete";

/** The guard that no execution stands on a step whose place in the graph changes, by the rows of executions. */
export function guardDeserted(ctx: Context, { workflowId, id }: WorkflowStepRow): Statement {
  const standing = sql`${activeExecutions(ctx, workflowId)} AND current_step_id = ${id}`;
  return guard(sql`NOT EXISTS (${standing})`, stepIsOccupied);
}

export function stepIsOccupied(): Conflict {
  return new Conflict("Executions stand on this step. Nothing was changed.", {
    suggestion:
      "Cancel them, or wait until they have gone on. A name, a position and most of a config can change meanwhile.",
  });
}
