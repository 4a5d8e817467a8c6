import { NotFound } from "../../core/errors";
import { type Id, publicId, publicIdOrNull } from "../../core/ids";
import { iso } from "../../core/time";
import type { Graph } from "../../core/workflows/step";
import type { Trigger } from "../../core/workflows/trigger";
import { openBatch } from "../../db/batch";
import type { WorkflowRow, WorkflowStepRow, WorkflowTransitionRow } from "../../db/tables";
import {
  graphOf,
  type StoredGraph,
  selectSteps,
  selectTransitions,
  selectWorkflow,
  triggerOf,
} from "../../engine/workflows/graph";
import type { Context, Project } from "../../platform/context";

/** A workflow with its steps and transitions. */
export interface WholeWorkflow extends StoredGraph {
  row: WorkflowRow;
}

export function workflowJson(project: Project, row: WorkflowRow) {
  return {
    id: publicId(row.id),
    name: row.name,
    description: row.description,
    enabled: row.enabled,
    triggerType: row.triggerType,
    triggerConfig: row.triggerConfig,
    allowReentry: row.allowReentry,
    issues: row.issues,
    version: row.version,
    projectId: project.id,
    createdAt: iso(row.createdAt),
    updatedAt: iso(row.updatedAt),
  };
}

export function wholeWorkflowJson(project: Project, { row, steps, transitions }: WholeWorkflow) {
  return { ...workflowJson(project, row), steps: steps.map(stepJson), transitions: transitions.map(transitionJson) };
}

export function stepJson(row: WorkflowStepRow) {
  return {
    id: publicId(row.id),
    ...(row.key !== null && { key: row.key }),
    workflowId: publicId(row.workflowId),
    type: row.type,
    name: row.name,
    position: { x: row.x, y: row.y },
    config: row.config,
    templateId: publicIdOrNull(row.templateId),
    createdAt: iso(row.createdAt),
    updatedAt: iso(row.updatedAt),
  };
}

export function transitionJson(row: WorkflowTransitionRow) {
  return {
    id: publicId(row.id),
    workflowId: publicId(row.workflowId),
    fromStepId: publicId(row.fromStepId),
    toStepId: publicId(row.toStepId),
    branch: row.branch,
    priority: row.priority,
    createdAt: iso(row.createdAt),
  };
}

/** Reads a workflow with its graph, in one batch. Throws NotFound. */
export async function getWorkflow(ctx: Context, id: Id): Promise<WholeWorkflow> {
  const batch = openBatch(ctx);
  const found = batch.add(selectWorkflow(ctx, id));
  const steps = batch.add(selectSteps(ctx, id));
  const transitions = batch.add(selectTransitions(ctx, id));
  await batch.commit();
  if (!found.first) throw new NotFound("workflow", id);
  return { row: found.first, steps: steps.all, transitions: transitions.all };
}

/** Returns the step. Throws NotFound. */
export function requireStep({ steps }: WholeWorkflow, id: Id): WorkflowStepRow {
  const step = steps.find((one) => one.id === id);
  if (!step) throw new NotFound("step", id);
  return step;
}

/** Returns the parts of a workflow that the rules read. */
export function rulesOf(workflow: WholeWorkflow): { trigger: Trigger; graph: Graph } {
  return { trigger: triggerOf(workflow.row), graph: graphOf(workflow) };
}
