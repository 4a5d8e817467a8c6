import { sql } from "drizzle-orm";
import { Invalid, type Refusal } from "../../core/errors";
import { searchText } from "../../core/search";
import type { Trigger } from "../../core/workflows/trigger";
import { openBatch } from "../../db/batch";
import { isInserted } from "../../db/own-rows";
import { inProject } from "../../db/scope";
import { guard, type Statement, statement } from "../../db/statement";
import type { WorkflowRow } from "../../db/tables";
import { recordChange } from "../../engine/audit/record-change";
import { linkBase } from "../../engine/mail/links";
import { type Context, clockOf } from "../../platform/context";
import { auditedWorkflow } from "./audited";
import { guardListener, insertNames, issuesNow, listenerOfRow } from "./change";
import { insertSteps, insertTransitions } from "./graph-rows";
import { guardTrigger, nextTickOf, triggerColumns } from "./trigger";
import { rulesOf, type WholeWorkflow } from "./workflow";

const maxWorkflows = 1_000;

/**
 * Returns the row of a new workflow. Only a document can create a workflow enabled, because any other new workflow has
 * no steps yet.
 */
export function newWorkflow(
  ctx: Context,
  {
    id,
    trigger,
    enabled = false,
    ...fields
  }: Pick<WorkflowRow, "id" | "name" | "description" | "allowReentry"> & { trigger: Trigger; enabled?: boolean },
): WorkflowRow {
  const now = ctx.now.getTime();
  return {
    projectId: ctx.project.number,
    id,
    ...fields,
    enabled,
    ...triggerColumns(trigger),
    clock: clockOf(ctx),
    nextTickAt: nextTickOf(ctx, null, enabled, trigger),
    searchText: searchText(fields.name, fields.description),
    linkBase: linkBase(ctx),
    issues: [],
    version: 1,
    createdAt: now,
    updatedAt: now,
  };
}

/**
 * Writes a whole workflow in one batch. Throws Invalid if the project already has the maximum number of workflows, and
 * the errors of the guards.
 */
export async function saveNew(ctx: Context, made: WholeWorkflow, guards: Statement[] = []): Promise<WholeWorkflow> {
  const { row, steps, transitions } = made;
  const saved = { ...made, row: { ...row, issues: await issuesNow(ctx, made) } };
  const batch = openBatch(ctx);
  batch.recognise(isInserted("workflows", ctx, row.id));
  batch.addAll([...guardsOfNew(ctx, made), ...guards]);
  recordChange(batch, ctx, auditedWorkflow(ctx, row.id));
  batch.add(insertWorkflow(saved.row));
  batch.addAll([insertSteps(steps), insertTransitions(transitions)]);
  batch.addAll(insertNames(ctx, saved));
  await batch.commit();
  return saved;
}

/** Returns what a new workflow would be, without writing anything. Throws the same errors as `saveNew`. */
export async function tryNew(ctx: Context, made: WholeWorkflow, guards: Statement[]): Promise<WholeWorkflow> {
  const issues = await issuesNow(ctx, made);
  const batch = openBatch(ctx);
  batch.mayRepeat();
  batch.addAll([...guardsOfNew(ctx, made), ...guards, ...guardListener(ctx, null, listenerOfRow(made.row))]);
  await batch.commit();
  return { ...made, row: { ...made.row, issues } };
}

function guardsOfNew(ctx: Context, made: WholeWorkflow): Statement[] {
  return [guardWorkflows(ctx, tooManyWorkflows), ...guardTrigger(ctx, rulesOf(made).trigger)];
}

/** Returns a guard which requires that the project may have another workflow. */
export function guardWorkflows(ctx: Context, refuse: (most: number) => Refusal): Statement {
  return guard(sql`(SELECT count(*) FROM workflows WHERE ${inProject(ctx)}) < ${maxWorkflows}`, () =>
    refuse(maxWorkflows),
  );
}

export function tooManyWorkflows(): Invalid {
  const message = `This project has ${maxWorkflows} workflows, which is the most it can have. Delete a workflow that is not used`;
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
