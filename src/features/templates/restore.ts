import { and, eq } from "drizzle-orm";
import { type Id, publicId } from "../../core/ids";
import { openBatch } from "../../db/batch";
import { untilFresh } from "../../db/fresh";
import { inProject } from "../../db/scope";
import { type TemplateRow, templates, templateVersions } from "../../db/tables";
import { insertRow } from "../../db/write-row";
import { recordChange } from "../../engine/audit/record-change";
import { templateBody } from "../../engine/mail/body";
import { getTemplate, type StoredTemplate } from "../../engine/mail/template";
import { getEntry, rowIn, takeOut } from "../../engine/trash/entry";
import { insertAnswer } from "../../engine/trash/keyed";
import { requireNeeds, tooManyToRestore } from "../../engine/trash/needs";
import type { Context } from "../../platform/context";
import { auditedTemplate } from "./audited";
import { guardTemplates } from "./save-statements";
import type { Template } from "./schema";
import { templateJson } from "./template";

/**
 * Restores a template from the trash, with all its versions, which have stayed. Throws NotFound, and Conflict while the
 * project has too many templates, and when the topic of the template is deleted.
 */
export async function restoreTemplate(ctx: Context, id: Id): Promise<Template> {
  await untilFresh(async () => {
    const entry = await getEntry(ctx, "template", id);
    const row = rowIn(entry, templates);
    const needs = await requireNeeds(ctx, "template", { topics: row.topicId === null ? [] : [row.topicId] });
    const batch = openBatch(ctx);
    takeOut(batch, ctx, entry);
    recordChange(batch, ctx, auditedTemplate(ctx, id));
    batch.addAll([
      ...needs,
      guardTemplates(ctx, (most) => tooManyToRestore("template", most)),
      insertRow(templates, row),
      ...(await insertAnswer(ctx, entry, () => answerOf(ctx, row))),
    ]);
    await batch.commit();
  }, ctx.random);
  return jsonOf(ctx, await getTemplate(ctx, id));
}

/** Returns the answer before the template exists again. Its versions have stayed. */
async function answerOf(ctx: Context, row: TemplateRow): Promise<Template> {
  const isCurrent = and(inProject(ctx), eq(templateVersions.id, row.versionId));
  const content = await ctx.db.select().from(templateVersions).where(isCurrent).get();
  if (!content) throw new Error(`The version of the template ${publicId(row.id)} is gone`);
  return jsonOf(ctx, { row, content });
}

async function jsonOf(ctx: Context, template: StoredTemplate): Promise<Template> {
  return templateJson(ctx.project, template, await templateBody(ctx, template.content));
}
