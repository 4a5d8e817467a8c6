import { sql } from "drizzle-orm";
import { Conflict } from "../../../core/errors";
import { branchNames } from "../../../core/workflows/structure";
import { guard, type Statement } from "../../../db/statement";
import type { WorkflowStepRow } from "../../../db/tables";
import { stepOfRow } from "../../../engine/workflows/graph";
import type { Context } from "../../../platform/context";
import { activeExecutions } from "../delete";

/**
 * Returns a guard for a change of a step's transitions. It requires that no execution is at the step, according to the
 * executions' rows in D1.
 */
export function guardDeserted(ctx: Context, { workflowId, id }: WorkflowStepRow): Statement {
  const standing = sql`${activeExecutions(ctx, workflowId)} AND current_step_id = ${id}`;
  return guard(sql`NOT EXISTS (${standing})`, stepIsOccupied);
}

/** Returns a guard which requires that no execution is at the step, if the step's branches change. */
export function guardBranches(ctx: Context, before: WorkflowStepRow, after: WorkflowStepRow): Statement[] {
  const namesOf = (row: WorkflowStepRow) => branchNames(stepOfRow(row)).names.join("\n");
  return namesOf(before) === namesOf(after) ? [] : [guardDeserted(ctx, after)];
}

export function stepIsOccupied(): Conflict {
  return new Conflict("Executions are at this step. Nothing was changed.", {
    suggestion:
      "Cancel the executions, or wait until they have moved on. You can change the name, the position and " +
      "most of the config now.",
  });
}
