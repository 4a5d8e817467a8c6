import { sql } from "drizzle-orm";
import type { Id } from "../../core/ids";
import { drawDiagram } from "../../core/workflows/diagram";
import type { NamedTemplate } from "../../core/workflows/steps/definition";
import { asId, asText, columns } from "../../db/rows";
import { inProject } from "../../db/scope";
import { select } from "../../db/statement";
import type { WorkflowStepRow } from "../../db/tables";
import { countSteps } from "../../engine/workflows/count-steps";
import { graphOf, triggerOf } from "../../engine/workflows/graph";
import type { Context } from "../../platform/context";
import { getWorkflow } from "./workflow";

/**
 * Implements `GET /workflows/{id}/diagram`: the graph as Mermaid text, with the effects and counts of its steps. Throws
 * NotFound.
 */
export async function workflowDiagram(ctx: Context, id: Id): Promise<string> {
  const workflow = await getWorkflow(ctx, id);
  const graph = graphOf(workflow);
  const ids = graph.steps.map((step) => step.id);
  const [counted, templates] = await Promise.all([countSteps(ctx, id, ids), findTemplates(ctx, workflow.steps)]);
  const counts = new Map(counted.map((one) => [one.stepId, one]));
  return drawDiagram(graph, { trigger: triggerOf(workflow.row), templates, counts });
}

/** Finds the template of each step that has one, by the step's id. */
async function findTemplates(ctx: Context, steps: readonly WorkflowStepRow[]): Promise<Map<Id, NamedTemplate>> {
  const named = steps.flatMap(({ id, templateId }) => (templateId === null ? [] : [[id, templateId]]));
  if (named.length === 0) return new Map();
  const found = await select(
    ctx.db,
    sql`SELECT r.value->>0 AS step_id, t.name, v.subject FROM json_each(${JSON.stringify(named)}) r
      CROSS JOIN templates t ON ${inProject(ctx, "t")} AND t.id = r.value->>1
      CROSS JOIN template_versions v ON v.project_id = t.project_id AND v.id = t.version_id`,
    columns({ stepId: asId, name: asText, subject: asText }),
  );
  return new Map(found.map(({ stepId, ...template }) => [stepId, template]));
}
