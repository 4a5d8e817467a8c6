import { type SQL, sql } from "drizzle-orm";
import type { Id } from "../../../core/ids";
import type { Graph, Step, Transition } from "../../../core/workflows/step";
import { openBatch } from "../../../db/batch";
import { asFlag, asId, asJson, asNumber, asOneOf, asText, columns, orNull } from "../../../db/rows";
import { statement } from "../../../db/statement";
import type { Context } from "../../../platform/context";

/** A workflow as it is now. */
export interface LiveWorkflow {
  id: Id;
  name: string;
  /** Whether events sent with a public key start the workflow and wake its executions. */
  takesPublic: boolean;
  linkBase: string | null;
  graph: Graph;
}

/** The workflows and contacts of some executions. A workflow or contact that is missing was deleted. */
export interface Live {
  workflows: Map<Id, LiveWorkflow>;
  contacts: Set<Id>;
}

/** Whether the workflow `w` takes events that were sent with a public key. */
export const takesPublicInSql: SQL = sql`(coalesce(json_extract(w.trigger_config, '$.publicEvents'), 1) <> 0)`;

const readWorkflow = columns({ id: asId, name: asText, takesPublic: asFlag, linkBase: orNull(asText) });
const readStep = columns({
  workflowId: asId,
  id: asId,
  type: asOneOf<Step["type"]>(),
  name: asText,
  config: asJson<never>(),
  templateId: orNull(asId),
});
const readTransition = columns({
  ...{ workflowId: asId, id: asId, fromStepId: asId, toStepId: asId },
  branch: orNull(asText),
  priority: asNumber,
});

/**
 * Reads the graphs of workflows, and which of the contacts exist, in one batch and thus from one moment. Every pass of
 * a shard reads them again, because executions follow the live graph.
 */
export async function readLive(ctx: Context, workflowIds: Id[], contactIds: Id[]): Promise<Live> {
  const asked = JSON.stringify([...new Set(workflowIds)]);
  const people = JSON.stringify([...new Set(contactIds)]);
  const { number } = ctx.project;
  const batch = openBatch(ctx);
  const workflows = batch.add(
    statement(
      sql`SELECT w.id, w.name, ${takesPublicInSql} AS takes_public, w.link_base FROM json_each(${asked}) r
        CROSS JOIN workflows w ON w.project_id = ${number} AND w.id = r.value`,
      readWorkflow,
    ),
  );
  const steps = batch.add(
    statement(
      sql`SELECT s.workflow_id, s.id, s.type, s.name, s.config, s.template_id FROM json_each(${asked}) r
        CROSS JOIN workflow_steps s ON s.project_id = ${number} AND s.workflow_id = r.value`,
      readStep,
    ),
  );
  const transitions = batch.add(
    statement(
      sql`SELECT t.workflow_id, t.id, t.from_step_id, t.to_step_id, t.branch, t.priority FROM json_each(${asked}) r
        CROSS JOIN workflow_transitions t ON t.project_id = ${number} AND t.workflow_id = r.value`,
      readTransition,
    ),
  );
  const contacts = batch.add(
    statement(
      sql`SELECT c.id FROM json_each(${people}) r
        CROSS JOIN contacts c ON c.project_id = ${number} AND c.id = r.value`,
      columns({ id: asId }),
    ),
  );
  await batch.commit();
  const stepsOf = Map.groupBy(steps.all, ({ workflowId }) => workflowId);
  const transitionsOf = Map.groupBy(transitions.all, ({ workflowId }) => workflowId);
  const graphOf = (id: Id): Graph => ({
    // Each step fits its type, because its config was checked when the step was saved.
    steps: (stepsOf.get(id) ?? []).map(({ workflowId: _, ...step }): Step => step),
    transitions: (transitionsOf.get(id) ?? []).map(({ workflowId: _, ...transition }): Transition => transition),
  });
  return {
    workflows: new Map(workflows.all.map((workflow) => [workflow.id, { ...workflow, graph: graphOf(workflow.id) }])),
    contacts: new Set(contacts.all.map(({ id }) => id)),
  };
}
