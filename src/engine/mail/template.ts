import { type SQL, sql } from "drizzle-orm";
import { NotFound } from "../../core/errors";
import type { Id } from "../../core/ids";
import { contentOf } from "../../db/content-columns";
import { type RowReader, wholeRow } from "../../db/rows";
import { inProject } from "../../db/scope";
import { selectFirst } from "../../db/statement";
import { type TemplateRow, templates, templateVersions, type VersionRow } from "../../db/tables";
import { templatesWithVersions } from "../../db/templates";
import type { Context } from "../../platform/context";

/** A template with its current version. */
export interface StoredTemplate {
  row: TemplateRow;
  content: VersionRow;
}

/** The columns of templates `t` and versions `v`, for `readTemplate`. Columns with the same name get a prefix. */
export const templateColumns: SQL = sql`t.*, v.number AS v_number, ${contentOf("v")}, v.body, v.body_key,
  v.files, v.type, v.created_at AS v_created_at`;

const readRow = wholeRow(templates);
const readVersion = wholeRow(templateVersions);

export const readTemplate: RowReader<StoredTemplate> = (raw) => {
  const row = readRow(raw);
  // `check_at` is null for the current version: the sweep for unused versions never checks it, because the template
  // refers to it.
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
