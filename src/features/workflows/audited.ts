import { type SQL, sql } from "drizzle-orm";
import type { Id } from "../../core/ids";
import { inProject, type Owner } from "../../db/scope";
import { asFlag, asJson, type Target } from "../../engine/audit/target";

/**
 * Describes a workflow for the audit log. The configs of steps may contain secrets in headers and bodies, so the values
 * of steps and transitions are hidden.
 */
export function auditedWorkflow(owner: Owner, id: Id): Target {
  const rows = (
    table: string,
    columns: string,
  ): SQL => sql`json((SELECT json_group_array(json_array(${sql.raw(columns)}))
    FROM (SELECT * FROM ${sql.raw(table)} WHERE ${inProject(owner)} AND workflow_id = ${id} ORDER BY id)))`;
  return {
    project: owner.project.number,
    type: "workflow",
    id,
    row: sql`workflows WHERE ${inProject(owner)} AND id = ${id}`,
    name: sql`name`,
    fields: {
      name: sql`name`,
      description: sql`description`,
      enabled: asFlag(sql`enabled`),
      triggerType: sql`trigger_type`,
      triggerConfig: asJson(sql`trigger_config`),
      allowReentry: asFlag(sql`allow_reentry`),
    },
    hidden: {
      steps: rows("workflow_steps", "id, key, ordinal, type, name, x, y, json(config), template_id"),
      transitions: rows("workflow_transitions", "id, from_step_id, to_step_id, branch, priority, ordinal"),
    },
  };
}
