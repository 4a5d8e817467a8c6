import { type Id, readId } from "../../core/ids";
import { workflowReferences } from "../../core/workflows/references";
import { openBatch } from "../../db/batch";
import { untilFresh } from "../../db/fresh";
import { type WorkflowRow, workflowSteps, workflows, workflowTransitions } from "../../db/tables";
import { insertRow } from "../../db/write-row";
import { replaceReferences } from "../../engine/audience/record-references";
import { recordChange } from "../../engine/audit/record-change";
import { getEntry, rowIn, rowsIn, takeOut } from "../../engine/trash/entry";
import { insertAnswer } from "../../engine/trash/keyed";
import { requireNeeds, slugsIn, tooManyToRestore } from "../../engine/trash/needs";
import { type Context, clockOf } from "../../platform/context";
import { auditedWorkflow } from "./audited";
import { issuesNow } from "./change";
import { insertSteps, insertTransitions } from "./graph-rows";
import { guardWorkflows } from "./insert";
import { getWorkflow, rulesOf, type WholeWorkflow, wholeWorkflowJson } from "./workflow";

/**
 * Restores a workflow from the trash, with its steps and transitions, and disabled, so that it starts nothing by
 * surprise. Its ended executions have stayed. Throws NotFound, and Conflict when it names a template, a segment or a
 * topic that is gone, and when the project has too many workflows.
 */
export async function restoreWorkflow(ctx: Context, id: Id): Promise<ReturnType<typeof wholeWorkflowJson>> {
  await untilFresh(async () => {
    const entry = await getEntry(ctx, "workflow", id);
    const row = disabled(ctx, rowIn(entry, workflows));
    const steps = rowsIn(entry, workflowSteps);
    const transitions = rowsIn(entry, workflowTransitions);
    const { trigger, graph } = rulesOf({ row, steps, transitions });
    const references = workflowReferences(trigger, graph);
    const needs = await requireNeeds(ctx, "workflow", {
      templates: steps.flatMap(({ templateId }) => templateId ?? []),
      segments: references.segments.map(readId),
      slugs: slugsIn(references.fields),
    });
    const batch = openBatch(ctx);
    takeOut(batch, ctx, entry);
    batch.addAll([...needs, guardWorkflows(ctx, (most) => tooManyToRestore("workflow", most))]);
    recordChange(batch, ctx, auditedWorkflow(ctx, id));
    batch.addAll([insertRow(workflows, row), insertSteps(steps), insertTransitions(transitions)]);
    batch.addAll(replaceReferences(ctx, { referrer: "workflow", id, name: row.name }, references));
    batch.addAll(await insertAnswer(ctx, entry, () => jsonOf(ctx, { row, steps, transitions })));
    await batch.commit();
  }, ctx.random);
  return jsonOf(ctx, await getWorkflow(ctx, id));
}

async function jsonOf(ctx: Context, workflow: WholeWorkflow) {
  return { ...wholeWorkflowJson(ctx.project, workflow), issues: await issuesNow(ctx, workflow) };
}

/**
 * Returns the row as it is restored. Its version increases if the workflow was enabled, because the restored one is
 * disabled.
 */
function disabled(ctx: Context, row: WorkflowRow): WorkflowRow {
  const restored = { ...row, clock: clockOf(ctx), nextTickAt: null };
  if (!row.enabled) return restored;
  const updatedAt = Math.max(row.updatedAt, ctx.now.getTime());
  return { ...restored, enabled: false, version: row.version + 1, updatedAt };
}
