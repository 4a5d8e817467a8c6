import { sql } from "drizzle-orm";
import type { Id } from "../../core/ids";
import { auditedContent } from "../../db/content-columns";
import { inProject, type Owner } from "../../db/scope";
import { asId, type Target } from "../../engine/audit/target";

/** Describes a template with its current version for the audit log. */
export function auditedTemplate(owner: Owner, id: Id): Target {
  return {
    project: owner.project.number,
    type: "template",
    id,
    row: sql`templates t CROSS JOIN template_versions v ON v.project_id = t.project_id AND v.id = t.version_id
      WHERE ${inProject(owner, "t")} AND t.id = ${id}`,
    name: sql`t.name`,
    fields: {
      name: sql`t.name`,
      description: sql`t.description`,
      type: sql`v.type`,
      topicId: asId(sql`t.topic_id`),
      ...auditedContent,
    },
    hidden: { body: sql`coalesce(v.body, v.body_key)` },
  };
}
