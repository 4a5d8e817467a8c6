import { type SQL, sql } from "drizzle-orm";
import { NotFound } from "../../core/errors";
import { type Id, publicId } from "../../core/ids";
import { iso } from "../../core/time";
import { type RowReader, wholeRow } from "../../db/rows";
import { inProject } from "../../db/scope";
import { domainInSql } from "../../db/sender-domain";
import { selectFirst } from "../../db/statement";
import { type TemplateRow, templates, templateVersions, type VersionRow } from "../../db/tables";
import { templatesWithVersions } from "../../db/templates";
import type { Context, Project } from "../../platform/context";

/** A template with its current version. */
export interface StoredTemplate {
  row: TemplateRow;
  content: VersionRow;
}

/** Takes `body` separately, because a large one is not in the row. */
export function templateJson(project: Project, { row, content }: StoredTemplate, body: string) {
  return {
    id: publicId(row.id),
    name: row.name,
    description: row.description,
    subject: content.subject,
    body,
    from: content.fromEmail,
    fromName: content.fromName,
    replyTo: content.replyTo,
    previewText: content.previewText,
    type: content.type,
    topicId: row.topicId && publicId(row.topicId),
    version: row.version,
    projectId: project.id,
    createdAt: iso(row.createdAt),
    updatedAt: iso(row.updatedAt),
  };
}

/** The columns of templates `t` and versions `v`, for `readTemplate`. Columns with the same name get a prefix. */
export const templateColumns: SQL = sql`t.*, v.number AS v_number, v.subject, v.preview_text, v.body, v.body_key, v.files,
  v.from_email, v.from_name, v.reply_to, v.type, v.created_at AS v_created_at`;

const readRow = wholeRow(templates);
const readVersion = wholeRow(templateVersions);

export const readTemplate: RowReader<StoredTemplate> = (raw) => {
  const row = readRow(raw);
  // The current version is never due for a check, because its template references it.
  const ofVersion = { ...raw, id: row.versionId, template_id: row.id, number: raw.v_number, check_at: null };
  return { row, content: readVersion({ ...ofVersion, created_at: raw.v_created_at }) };
};

export async function getTemplate(ctx: Context, id: Id): Promise<StoredTemplate> {
  const template = await selectFirst(
    ctx.db,
    sql`SELECT ${templateColumns} FROM ${templatesWithVersions} WHERE ${inProject(ctx, "t")} AND t.id = ${id}`,
    readTemplate,
  );
  if (!template) throw new NotFound("template", id);
  return template;
}

/** Selects the templates that send from this domain. */
export function templatesFrom(ctx: Context, domain: string): SQL {
  return sql`SELECT t.id AS id, t.name AS name FROM ${templatesWithVersions}
    WHERE ${inProject(ctx, "t")} AND ${domainInSql(sql`v.from_email`)} = ${domain}`;
}

/** Selects the workflow steps `s` that send a template. */
export function stepsWith(ctx: Context, id: Id): SQL {
  return sql`workflow_steps s INDEXED BY ix_workflow_steps_template
    WHERE ${inProject(ctx, "s")} AND s.template_id = ${id}`;
}
