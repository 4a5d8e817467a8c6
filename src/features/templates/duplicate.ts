import { copyName } from "../../core/copy-name";
import { type Id, newIdAt } from "../../core/ids";
import { openBatch } from "../../db/batch";
import { Stale, untilFresh } from "../../db/fresh";
import { isInserted } from "../../db/own-rows";
import { guardTopic } from "../../db/topics";
import { recordChange } from "../../engine/audit/record-change";
import { getTemplate, type StoredTemplate } from "../../engine/mail/template";
import type { Context } from "../../platform/context";
import { auditedTemplate } from "./audited";
import { guardTemplates, insertTemplate, insertVersion } from "./save-statements";

/**
 * `POST /templates/{id}/duplicate`: copies a template. The copy shares the file of a large body with the original. The
 * file stays until neither of them needs it.
 */
export async function duplicateTemplate(ctx: Context, id: Id): Promise<StoredTemplate> {
  return untilFresh(() => copyTemplate(ctx, id), ctx.random);
}

async function copyTemplate(ctx: Context, id: Id): Promise<StoredTemplate> {
  const { row, content: original } = await getTemplate(ctx, id);
  const now = ctx.now.getTime();
  const content = { ...original, id: newIdAt(now), templateId: newIdAt(now), number: 1, createdAt: now };
  const name = copyName(row.name);
  const batch = openBatch(ctx);
  batch.recognise(isInserted("templates", ctx, content.templateId));
  // The original might have lost its topic since it was read, and the topic might have been deleted.
  if (row.topicId !== null) batch.add(guardTopic(ctx, row.topicId, () => new Stale()));
  batch.add(guardTemplates(ctx));
  recordChange(batch, ctx, auditedTemplate(ctx, content.templateId));
  // The sender domain is not checked here, because the copy sends no mail yet. It is checked when the copy is sent.
  batch.add(insertVersion(ctx, content, { isSenderChecked: false }));
  const inserted = batch.add(
    insertTemplate(ctx, { name, description: row.description, topicId: row.topicId, content }),
  );
  await batch.commit();
  return { row: inserted.one, content };
}
