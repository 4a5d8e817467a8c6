import { type SQL, sql } from "drizzle-orm";
import { Conflict } from "../../core/errors";
import type { Id } from "../../core/ids";
import { searchText } from "../../core/search";
import { issuesOf } from "../../core/workflows/issues";
import { awaitedEvents, workflowReferences } from "../../core/workflows/references";
import { checkSize } from "../../core/workflows/size";
import { listenerOf, startListeners, type TriggerListener } from "../../core/workflows/trigger";
import { openBatch } from "../../db/batch";
import { isUnchanged, Stale, untilFresh } from "../../db/fresh";
import { inProject } from "../../db/scope";
import { guard, type Statement, statement } from "../../db/statement";
import type { WorkflowRow } from "../../db/tables";
import { replaceReferences } from "../../engine/audience/record-references";
import { recordChange } from "../../engine/audit/record-change";
import { requireAuditedVersion } from "../../engine/audit/require-version";
import { linkBase } from "../../engine/mail/links";
import { triggerOf } from "../../engine/workflows/graph";
import { deleteWaitListeners } from "../../engine/workflows/wait-listeners";
import type { Context } from "../../platform/context";
import { auditedWorkflow } from "./audited";
import { causingWorkflows } from "./causing";
import { triggerSegment } from "./trigger-segment";
import { getWorkflow, rulesOf, type WholeWorkflow } from "./workflow";

/**
 * The maximum number of enabled workflows that one event can start. This limits how many executions an event starts.
 */
const maxListeners = 50;

/**
 * A changed workflow, with the statements that write its steps and transitions. `changeWorkflow` writes the workflow's
 * own row.
 */
export interface WorkflowChange {
  after: WholeWorkflow;
  statements?: Statement[];
  /** Conditions that must still hold at the commit. */
  guards?: Statement[];
  /** A condition that holds after the commit and never before: see `Batch.recognise`. */
  hasCommitted?: SQL;
}

/**
 * Reads a workflow, has `decide` return the change, and writes the change in one batch. The batch only succeeds if the
 * workflow has not changed meanwhile; otherwise the call starts over. The rules are therefore always checked against
 * the state that is changed, and two concurrent calls cannot create a loop together. When `decide` returns null,
 * nothing changes. Throws NotFound, Invalid and Conflict.
 */
export async function changeWorkflow(
  ctx: Context,
  id: Id,
  decide: (before: WholeWorkflow) => Promise<WorkflowChange | null> | WorkflowChange | null,
): Promise<WholeWorkflow> {
  return untilFresh(async (tries) => {
    const before = await getWorkflow(ctx, id);
    if (tries === 1) await requireAuditedVersion(ctx, before.row);
    const change = await decide(before);
    if (change === null) return before;
    await requireAuditedVersion(ctx, before.row);
    const { after, statements = [], guards = [], hasCommitted } = change;
    const saved = await decided(ctx, after);
    const batch = openBatch(ctx);
    // A change without `hasCommitted` only updates columns. If the batch runs again after it was committed, the guard
    // throws Stale, and the next try finds nothing left to change.
    if (hasCommitted) batch.recognise(hasCommitted);
    else batch.mayRepeat();
    batch.guard(isUnchanged("workflows", before.row), () => new Stale());
    batch.addAll(guards);
    recordChange(batch, ctx, auditedWorkflow(ctx, id));
    batch.addAll(statements);
    batch.add(updateRow(saved.row));
    batch.addAll(replaceNames(ctx, before, saved));
    await batch.commit();
    return saved;
  }, ctx.random);
}

/** Returns the result of a change without writing anything. Throws the same errors as `changeWorkflow`. */
export async function tryChange(
  ctx: Context,
  id: Id,
  decide: (before: WholeWorkflow) => Promise<WorkflowChange>,
): Promise<{ before: WholeWorkflow; after: WholeWorkflow }> {
  return untilFresh(async () => {
    const before = await getWorkflow(ctx, id);
    await requireAuditedVersion(ctx, before.row);
    const { guards = [], ...change } = await decide(before);
    const after = await decided(ctx, change.after);
    const batch = openBatch(ctx);
    batch.mayRepeat();
    batch.guard(isUnchanged("workflows", before.row), () => new Stale());
    batch.addAll(guards);
    batch.addAll(guardListener(ctx, listenerOfRow(before.row), listenerOfRow(after.row)));
    await batch.commit();
    return { before, after };
  }, ctx.random);
}

/** Returns a change as it would be saved. Throws Invalid and Conflict. */
async function decided(ctx: Context, after: WholeWorkflow): Promise<WholeWorkflow> {
  checkSize(after);
  return { ...after, row: await nextRow(ctx, after) };
}

async function nextRow(ctx: Context, after: WholeWorkflow): Promise<WorkflowRow> {
  const { row } = after;
  return {
    ...row,
    linkBase: linkBase(ctx) ?? row.linkBase,
    issues: await issuesNow(ctx, after),
    version: row.version + 1,
    // Concurrent calls can commit in another order than they arrived in, and `updatedAt` must not go back.
    updatedAt: Math.max(row.updatedAt, ctx.now.getTime()),
  };
}

/**
 * Returns the workflow's issues as they are now. They may differ from the stored ones, because the segment that starts
 * the workflow, or another workflow, may have changed since.
 */
export async function issuesNow(ctx: Context, workflow: WholeWorkflow): Promise<WorkflowRow["issues"]> {
  const { trigger, graph } = rulesOf(workflow);
  const [segment, others] = await Promise.all([
    triggerSegment(ctx, trigger),
    causingWorkflows(ctx, workflow.row.id, trigger, graph),
  ]);
  return issuesOf(trigger, graph, segment, others);
}

function updateRow(row: WorkflowRow): Statement {
  return statement(
    sql`UPDATE workflows SET name = ${row.name}, description = ${row.description}, enabled = ${row.enabled},
        trigger_type = ${row.triggerType}, trigger_config = ${JSON.stringify(row.triggerConfig)},
        allow_reentry = ${row.allowReentry}, next_tick_at = ${row.nextTickAt}, issues = ${JSON.stringify(row.issues)},
        search_text = ${searchText(row.name, row.description)}, link_base = ${row.linkBase}, version = ${row.version}, updated_at = ${row.updatedAt}
      WHERE project_id = ${row.projectId} AND id = ${row.id}`,
  );
}

/** Updates the workflow's stored references and event listeners if they have changed. */
function replaceNames(ctx: Context, before: WholeWorkflow, after: WholeWorkflow): Statement[] {
  const namedBy = (workflow: WholeWorkflow) => {
    const { trigger, graph } = rulesOf(workflow);
    return workflowReferences(trigger, graph);
  };
  const [had, has] = [namedBy(before), namedBy(after)];
  const isSame = before.row.name === after.row.name && JSON.stringify(had) === JSON.stringify(has);
  const { id, name } = after.row;
  return [
    ...(isSame ? [] : replaceReferences(ctx, { referrer: "workflow", id, name }, has)),
    ...replaceListener(ctx, listenerOfRow(before.row), listenerOfRow(after.row)),
    ...forgetWaits(ctx, before, after),
  ];
}

/** Deletes the listeners of events that no wait of the workflow names any longer, unless other workflows need them. */
function forgetWaits(ctx: Context, before: WholeWorkflow, after: WholeWorkflow | null): Statement[] {
  const has = after ? awaitedEvents(rulesOf(after).graph) : [];
  const lost = awaitedEvents(rulesOf(before).graph).filter((name) => !has.includes(name));
  return lost.length > 0 ? [deleteWaitListeners(ctx, lost)] : [];
}

export function listenerOfRow(row: WorkflowRow): TriggerListener | null {
  return listenerOf({ id: row.id, enabled: row.enabled, ...triggerOf(row) });
}

/** Replaces the listener row of the workflow's trigger. */
function replaceListener(ctx: Context, had: TriggerListener | null, has: TriggerListener | null): Statement[] {
  if (had?.name === has?.name && had?.listenerId === has?.listenerId) return [];
  const statements: Statement[] = [];
  if (had) statements.push(deleteListener(ctx, had));
  if (has) {
    statements.push(
      ...guardListener(ctx, had, has),
      statement(
        sql`INSERT INTO event_listeners (project_id, name, listener_id)
          VALUES (${ctx.project.number}, ${has.name}, ${has.listenerId}) ON CONFLICT DO NOTHING`,
      ),
    );
  }
  return statements;
}

/**
 * Returns a guard which requires that the event starts fewer workflows than the limit. Returns no guard if the event
 * already starts this workflow.
 */
export function guardListener(ctx: Context, had: TriggerListener | null, has: TriggerListener | null): Statement[] {
  if (has === null || had?.name === has.name) return [];
  return [guard(sql`${listenersOf(ctx, has.name)} < ${maxListeners}`, () => tooManyListeners(has.name))];
}

/**
 * Deletes the recorded references and listeners of a workflow. Must come after the deletion of its steps, in the same
 * batch.
 */
export function forgetNames(ctx: Context, workflow: WholeWorkflow): Statement[] {
  const { id, name } = workflow.row;
  return [
    ...replaceReferences(ctx, { referrer: "workflow", id, name }, {}),
    ...replaceListener(ctx, listenerOfRow(workflow.row), null),
    ...forgetWaits(ctx, workflow, null),
  ];
}

/** Inserts the references and listeners of a new workflow, in the batch that creates it. */
export function insertNames(ctx: Context, workflow: WholeWorkflow): Statement[] {
  const { trigger, graph } = rulesOf(workflow);
  const { id, name } = workflow.row;
  return [
    ...replaceReferences(ctx, { referrer: "workflow", id, name }, workflowReferences(trigger, graph)),
    ...replaceListener(ctx, null, listenerOfRow(workflow.row)),
  ];
}

function deleteListener(ctx: Context, { name, listenerId }: TriggerListener): Statement {
  return statement(
    sql`DELETE FROM event_listeners
      WHERE ${inProject(ctx)} AND name = ${name} AND listener_id = ${listenerId}`,
  );
}

/** The number of workflows that an event of this name starts. */
function listenersOf(ctx: Context, name: string) {
  const kinds = Object.values(startListeners).map((kind) => sql`l.listener_id GLOB ${`${kind}*`}`);
  return sql`(SELECT count(*) FROM event_listeners l
    WHERE ${inProject(ctx, "l")} AND l.name = ${name} AND (${sql.join(kinds, sql` OR `)}))`;
}

export function tooManyListeners(name: string): Conflict {
  return new Conflict(
    `The event ${name} starts ${maxListeners} enabled workflows, which is the most it can start. Nothing was saved.`,
    { suggestion: "Disable one of these workflows, or move its steps into another.", details: { limit: maxListeners } },
  );
}
