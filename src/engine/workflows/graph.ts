import { type SQL, sql } from "drizzle-orm";
import type { Id } from "../../core/ids";
import type { Graph, Step } from "../../core/workflows/step";
import type { Trigger } from "../../core/workflows/trigger";
import { wholeRow } from "../../db/rows";
import { inProject } from "../../db/scope";
import { type Statement, statement } from "../../db/statement";
import {
  type WorkflowRow,
  type WorkflowStepRow,
  type WorkflowTransitionRow,
  workflowSteps,
  workflows,
  workflowTransitions,
} from "../../db/tables";
import type { Context } from "../../platform/context";

/** The rows of a graph. */
export interface StoredGraph {
  steps: readonly WorkflowStepRow[];
  transitions: readonly WorkflowTransitionRow[];
}

export function selectWorkflow(ctx: Context, id: Id): Statement<WorkflowRow> {
  return statement(sql`SELECT * FROM workflows WHERE ${inProject(ctx)} AND id = ${id}`, wholeRow(workflows));
}

/** Selects the steps in the order of their creation, TRIGGER first. */
export function selectSteps(ctx: Context, workflowId: Id): Statement<WorkflowStepRow> {
  return statement(sql`SELECT * FROM workflow_steps WHERE ${ofWorkflow(ctx, workflowId)} ORDER BY id`, readSteps);
}

export function selectTransitions(ctx: Context, workflowId: Id): Statement<WorkflowTransitionRow> {
  return statement(
    sql`SELECT * FROM workflow_transitions WHERE ${ofWorkflow(ctx, workflowId)} ORDER BY id`,
    readTransitions,
  );
}

const readSteps = wholeRow(workflowSteps);
const readTransitions = wholeRow(workflowTransitions);

/** Matches the steps, transitions and executions of this workflow. */
export function ofWorkflow(ctx: Context, workflowId: Id): SQL {
  return sql`${inProject(ctx)} AND workflow_id = ${workflowId}`;
}

export function graphOf({ steps, transitions }: StoredGraph): Graph {
  return { steps: steps.map(stepOfRow), transitions };
}

/** Returns the step of a row. The cast is safe: a step's config was checked against its type when it was saved. */
export function stepOfRow({ id, type, name, config, templateId }: WorkflowStepRow): Step {
  return { id, type, name, config, templateId } as Step;
}

/**
 * Returns the trigger of a row. The cast is safe: a trigger's config was checked against its type when it was saved.
 */
export function triggerOf({ triggerType, triggerConfig }: Pick<WorkflowRow, "triggerType" | "triggerConfig">): Trigger {
  return { triggerType, triggerConfig } as Trigger;
}
