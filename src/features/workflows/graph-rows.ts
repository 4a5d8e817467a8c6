import { type SQL, sql } from "drizzle-orm";
import { type Id, newIdAt } from "../../core/ids";
import { type Statement, statement } from "../../db/statement";
import type { WorkflowStepRow, WorkflowTransitionRow } from "../../db/tables";
import { ofWorkflow } from "../../engine/workflows/graph";
import type { Context } from "../../platform/context";
import type { WholeWorkflow } from "./workflow";

type NewStep = Omit<WorkflowStepRow, "projectId" | "id" | "createdAt" | "updatedAt" | "key" | "ordinal"> &
  Partial<Pick<WorkflowStepRow, "key" | "ordinal">>;

export function newStep(ctx: Context, step: NewStep): WorkflowStepRow {
  const now = ctx.now.getTime();
  const made = { projectId: ctx.project.number, id: newIdAt(now), createdAt: now, updatedAt: now };
  return { key: null, ordinal: null, ...step, ...made };
}

type NewTransition = Omit<WorkflowTransitionRow, "projectId" | "id" | "createdAt" | "ordinal"> &
  Partial<Pick<WorkflowTransitionRow, "ordinal">>;

export function newTransition(ctx: Context, transition: NewTransition): WorkflowTransitionRow {
  const now = ctx.now.getTime();
  return { ordinal: null, ...transition, projectId: ctx.project.number, id: newIdAt(now), createdAt: now };
}

/** Creates the step that every workflow has from the beginning. */
export function triggerStep(ctx: Context, workflowId: Id): WorkflowStepRow {
  return newStep(ctx, { workflowId, type: "TRIGGER", name: "TRIGGER", x: 0, y: 0, config: {}, templateId: null });
}

export function insertSteps(rows: readonly WorkflowStepRow[]): Statement {
  return statement(
    sql`INSERT INTO workflow_steps (project_id, workflow_id, id, key, ordinal, type, name, x, y, config, template_id,
        created_at, updated_at)
      SELECT ${columnsIn(["projectId", "workflowId", "id", "key", "ordinal", "type", "name", "x", "y"])}, r.value->'config',
        ${columnsIn(["templateId", "createdAt", "updatedAt"])} FROM json_each(${JSON.stringify(rows)}) r`,
  );
}

export function insertTransitions(rows: readonly WorkflowTransitionRow[]): Statement {
  return statement(
    sql`INSERT INTO workflow_transitions (project_id, workflow_id, id, from_step_id, to_step_id, branch, priority, ordinal,
        created_at)
      SELECT ${columnsIn(["projectId", "workflowId", "id", "fromStepId", "toStepId", "branch", "priority", "ordinal", "createdAt"])}
      FROM json_each(${JSON.stringify(rows)}) r`,
  );
}

function columnsIn(names: (keyof WorkflowStepRow | keyof WorkflowTransitionRow)[]): SQL {
  return sql.raw(names.map((name) => `r.value->>'${name}'`).join(", "));
}

export function updateSteps(ctx: Context, workflowId: Id, rows: readonly WorkflowStepRow[]): Statement {
  return statement(
    sql`UPDATE workflow_steps SET key = r.value->>'key', name = r.value->>'name', x = r.value->>'x', y = r.value->>'y', config = r.value->'config',
        template_id = r.value->>'templateId', ordinal = r.value->>'ordinal', updated_at = r.value->>'updatedAt'
      FROM json_each(${JSON.stringify(rows)}) r
      WHERE ${ofWorkflow(ctx, workflowId)} AND workflow_steps.id = r.value->>'id'`,
  );
}

export function deleteSteps(ctx: Context, workflowId: Id, ids: readonly Id[]): Statement {
  return statement(sql`DELETE FROM workflow_steps WHERE ${ofWorkflow(ctx, workflowId)} AND ${isOneOf(ids)}`);
}

export function deleteTransitions(ctx: Context, workflowId: Id, ids: readonly Id[]): Statement {
  return statement(sql`DELETE FROM workflow_transitions WHERE ${ofWorkflow(ctx, workflowId)} AND ${isOneOf(ids)}`);
}

/** Updates transitions that have a new target or a new position in their document. */
export function updateTransitions(
  ctx: Context,
  workflowId: Id,
  rows: readonly Pick<WorkflowTransitionRow, "id" | "toStepId" | "ordinal">[],
): Statement {
  return statement(
    sql`UPDATE workflow_transitions SET to_step_id = r.value->>'toStepId', ordinal = r.value->>'ordinal'
      FROM json_each(${JSON.stringify(rows)}) r
      WHERE ${ofWorkflow(ctx, workflowId)} AND workflow_transitions.id = r.value->>'id'`,
  );
}

function isOneOf(ids: readonly Id[]): SQL {
  return sql`id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`;
}

/** Returns the statements that turn the rows of one graph into those of another. Rows are matched by id. */
export function replaceGraph(ctx: Context, before: WholeWorkflow, after: WholeWorkflow): Statement[] {
  const { id } = after.row;
  const [steps, transitions] = [
    rowsToWrite(before.steps, after.steps),
    rowsToWrite(before.transitions, after.transitions),
  ];
  return [
    ...(transitions.gone.length > 0 ? [deleteTransitions(ctx, id, transitions.gone)] : []),
    ...(steps.gone.length > 0 ? [deleteSteps(ctx, id, steps.gone)] : []),
    ...(steps.made.length > 0 ? [insertSteps(steps.made)] : []),
    ...(steps.changed.length > 0 ? [updateSteps(ctx, id, steps.changed)] : []),
    ...(transitions.made.length > 0 ? [insertTransitions(transitions.made)] : []),
    ...(transitions.changed.length > 0 ? [updateTransitions(ctx, id, transitions.changed)] : []),
  ];
}

interface RowsToWrite<T> {
  made: T[];
  changed: T[];
  gone: Id[];
}

export function rowsToWrite<T extends { id: Id }>(before: readonly T[], after: readonly T[]): RowsToWrite<T> {
  const had = new Map(before.map((row) => [row.id, JSON.stringify(row)]));
  const has = new Set(after.map(({ id }) => id));
  return {
    made: after.filter(({ id }) => !had.has(id)),
    changed: after.filter((row) => had.has(row.id) && had.get(row.id) !== JSON.stringify(row)),
    gone: before.filter(({ id }) => !has.has(id)).map(({ id }) => id),
  };
}
