import { type SQL, sql } from "drizzle-orm";
import { type Id, publicId } from "../../core/ids";
import { contentJson } from "../../core/mail/content-fields";
import { iso } from "../../core/time";
import { inProject } from "../../db/scope";
import type { StoredTemplate } from "../../engine/mail/template";
import type { Context, Project } from "../../platform/context";

/** Returns a template as callers see it. Takes the body separately, because a large one is not in the row. */
export function templateJson(project: Project, { row, content }: StoredTemplate, body: string) {
  return {
    id: publicId(row.id),
    name: row.name,
    description: row.description,
    ...contentJson(content),
    body,
    type: content.type,
    topicId: row.topicId && publicId(row.topicId),
    version: row.version,
    projectId: project.id,
    createdAt: iso(row.createdAt),
    updatedAt: iso(row.updatedAt),
  };
}

/** Selects the workflow steps `s` that send a template. */
export function stepsWith(ctx: Context, id: Id): SQL {
  return sql`workflow_steps s INDEXED BY ix_workflow_steps_template
    WHERE ${inProject(ctx, "s")} AND s.template_id = ${id}`;
}
