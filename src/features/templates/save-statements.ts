import { type SQL, sql } from "drizzle-orm";
import { Invalid, type Refusal } from "../../core/errors";
import { domainOf } from "../../core/mail/address";
import { searchText } from "../../core/search";
import { insertSelected } from "../../db/insert-selected";
import { rowById } from "../../db/own-rows";
import { wholeRow } from "../../db/rows";
import { inProject } from "../../db/scope";
import { verifiedDomain } from "../../db/sender-domain";
import { guard, type Statement, statement } from "../../db/statement";
import { type TemplateRow, templates, templateVersions, type VersionRow } from "../../db/tables";
import type { Context } from "../../platform/context";
import { versionGraceMs } from "./forget-versions";

const maxTemplates = 1_000;

/** Stops the whole batch when the project already has the maximum number of templates. */
export function guardTemplates(ctx: Context, refuse: (most: number) => Refusal = tooManyTemplates): Statement {
  return guard(sql`(SELECT count(*) FROM templates WHERE ${inProject(ctx)}) < ${maxTemplates}`, () =>
    refuse(maxTemplates),
  );
}

export function tooManyTemplates(): Invalid {
  const message = `This project has ${maxTemplates} templates, which is the most it can have. Delete one that is not used`;
  return new Invalid([{ field: "", code: "too_big", message }]);
}

/** Inserts a new version; with `isSenderChecked`, only if the sender domain is verified. */
export function insertVersion(
  ctx: Context,
  version: VersionRow,
  { isSenderChecked }: { isSenderChecked: boolean },
): Statement {
  const condition = isSenderChecked ? sql`EXISTS (${verifiedDomain(ctx, domainOf(version.fromEmail))})` : sql`true`;
  return statement(insertSelected(templateVersions, version, sql`(SELECT 1) WHERE ${condition}`));
}

/** Marks a version that is no longer current, so that the sweep checks whether it is still referenced elsewhere. */
export function updateLeft(ctx: Context, versionId: SQL): Statement {
  return statement(
    sql`UPDATE template_versions SET check_at = ${ctx.realClock().getTime() + versionGraceMs}
      WHERE ${inProject(ctx)} AND id = (${versionId})`,
  );
}

export type NewTemplate = Pick<TemplateRow, "name" | "description" | "topicId"> & { content: VersionRow };

/** Inserts the template's own row, if its first version was just written. */
export function insertTemplate(
  ctx: Context,
  { name, description, topicId, content }: NewTemplate,
): Statement<TemplateRow> {
  const now = ctx.now.getTime();
  return statement(
    sql`INSERT INTO templates (project_id, id, name, description, version_id, topic_id, search_text, created_at, updated_at)
      SELECT v.project_id, v.template_id, ${name}, ${description}, v.id, ${topicId},
        ${searchText(name, description, content.subject)}, ${now}, ${now}
      FROM template_versions v WHERE ${inProject(ctx, "v")} AND v.id = ${content.id}
      RETURNING *`,
    wholeRow(templates),
    { again: rowById("templates", ctx, content.templateId) },
  );
}
