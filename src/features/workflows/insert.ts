import { sql } from "drizzle-orm";
import { Invalid } from "../../core/errors";
import { type Id, newIdAt } from "../../core/ids";
import { searchText } from "../../core/search";
import type { Trigger } from "../../core/workflows/trigger";
import { openBatch } from "../../db/batch";
import { isInserted } from "../../db/own-rows";
import { type Statement, statement } from "../../db/statement";
import type { WorkflowRow, WorkflowStepRow, WorkflowTransitionRow } from "../../db/tables";
import { linkBase } from "../../engine/mail/links";
import { type Context, clockOf } from "../../platform/context";
import { insertNames, issuesNow } from "./change";
import { guardTrigger, triggerColumns } from "./trigger";
import { rulesOf, type WholeWorkflow } from "./workflow";

const maxWorkflows = 1_000;

/** A row of a workflow that is about to be made. It is not enabled, so nothing starts it yet. */
export function newWorkflow(
  ctx: Context,
  { id, trigger, ...fields }: Pick<WorkflowRow, "id" | "name" | "description" | "allowReentry"> & { trigger: Trigger },
): WorkflowRow {
  const now = ctx.now.getTime();
  return {
    projectId: ctx.project.number,
    id,
    ...fields,
    enabled: false,
    ...triggerColumns(trigger),
    clock: clockOf(ctx),
    nextTickAt: null,
    searchText: searchText(fields.name, fields.description),
    linkBase: linkBase(ctx),
    issues: [],
    version: 1,
    createdAt: now,
    updatedAt: now,
  };
}

type NewStep = Pick<WorkflowStepRow, "workflowId" | "type" | "name" | "x" | "y" | "config" | "templateId">;

export function newStep(ctx: Context, step: NewStep): WorkflowStepRow {
  const now = ctx.now.getTime();
  return { ...step, projectId: ctx.project.number, id: newIdAt(now), createdAt: now, updatedAt: now };
}

type NewTransition = Pick<WorkflowTransitionRow, "workflowId" | "fromStepId" | "toStepId" | "branch" | "priority">;

export function newTransition(ctx: Context, transition: NewTransition): WorkflowTransitionRow {
  const now = ctx.now.getTime();
  return { ...transition, projectId: ctx.project.number, id: newIdAt(now), createdAt: now };
}

/**
 * Writes a whole workflow in one batch. Throws Invalid when the project has as many as it may, and what the guards say.
 */
export async function saveNew(ctx: Context, made: WholeWorkflow, guards: Statement[] = []): Promise<WholeWorkflow> {
  const { row, steps, transitions } = made;
  const saved = { ...made, row: { ...row, issues: await issuesNow(ctx, made) } };
  const batch = openBatch(ctx);
  batch.recognise(isInserted("workflows", ctx, row.id));
  batch.guard(
    sql`(SELECT count(*) FROM workflows WHERE project_id = ${ctx.project.number}) < ${maxWorkflows}`,
    tooManyWorkflows,
  );
  batch.addAll([...guardTrigger(ctx, rulesOf(made).trigger), ...guards]);
  batch.add(insertWorkflow(saved.row));
  batch.addAll(insertSteps(steps));
  batch.addAll(transitions.map(insertTransition));
  batch.addAll(insertNames(ctx, saved));
  await batch.commit();
  return saved;
}

export function tooManyWorkflows(): Invalid {
  const message = `This project has ${maxWorkflows} workflows, which is the most it can have. Delete one that is not used`;
  return new Invalid([{ field: "", code: "too_big", message }]);
}

function insertWorkflow(row: WorkflowRow): Statement {
  return statement(
    sql`INSERT INTO workflows (project_id, id, name, description, enabled, trigger_type, trigger_config, allow_reentry,
        clock, next_tick_at, search_text, link_base, issues, created_at, updated_at)
      VALUES (${row.projectId}, ${row.id}, ${row.name}, ${row.description}, ${row.enabled}, ${row.triggerType},
        ${JSON.stringify(row.triggerConfig)}, ${row.allowReentry}, ${row.clock}, ${row.nextTickAt}, ${row.searchText},
        ${row.linkBase}, ${JSON.stringify(row.issues)}, ${row.createdAt}, ${row.updatedAt})`,
  );
}

export function insertStep(row: WorkflowStepRow): Statement {
  return statement(
    sql`INSERT INTO workflow_steps (project_id, workflow_id, id, type, name, x, y, config, template_id, created_at,
        updated_at)
      VALUES (${row.projectId}, ${row.workflowId}, ${row.id}, ${row.type}, ${row.name}, ${row.x}, ${row.y},
        ${JSON.stringify(row.config)}, ${row.templateId}, ${row.createdAt}, ${row.updatedAt})`,
  );
}

function insertSteps(rows: readonly WorkflowStepRow[]): Statement[] {
  return rows.map(insertStep);
}

export function insertTransition(row: WorkflowTransitionRow): Statement {
  return statement(
    sql`INSERT INTO workflow_transitions (project_id, workflow_id, id, from_step_id, to_step_id, branch, priority,
        created_at)
      VALUES (${row.projectId}, ${row.workflowId}, ${row.id}, ${row.fromStepId}, ${row.toStepId}, ${row.branch},
        ${row.priority}, ${row.createdAt})`,
  );
}

/** The step that every workflow has, made with it. */
export function triggerStep(ctx: Context, workflowId: Id): WorkflowStepRow {
  return newStep(ctx, { workflowId, type: "TRIGGER", name: "TRIGGER", x: 0, y: 0, config: {}, templateId: null });
}
