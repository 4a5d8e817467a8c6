import { Refusal } from "../../core/errors";
import { newIdAt, textOf } from "../../core/ids";
import { domainOf } from "../../core/mail/address";
import { changeContent } from "../../core/mail/content-fields";
import { UnverifiedSender } from "../../core/mail/errors";
import { openBatch } from "../../db/batch";
import { isInserted } from "../../db/own-rows";
import type { VersionRow } from "../../db/tables";
import { guardTopic } from "../../db/topics";
import { recordChange } from "../../engine/audit/record-change";
import { checkContent } from "../../engine/mail/accept/check-liquid";
import { forgetBody, storeBody } from "../../engine/mail/body";
import type { StoredTemplate } from "../../engine/mail/template";
import type { Context } from "../../platform/context";
import { auditedTemplate } from "./audited";
import { guardTemplates, insertTemplate, insertVersion, type NewTemplate } from "./save-statements";
import type { CreateTemplate } from "./schema";
import { checkTopicFits } from "./topic";

/** `POST /templates`: creates a template in one round trip. The insert itself checks the sender domain. */
export async function createTemplate(ctx: Context, input: CreateTemplate): Promise<StoredTemplate> {
  checkContent(ctx, input);
  if (input.topicId) checkTopicFits(input.type ?? "MARKETING", "topicId");
  const now = ctx.now.getTime();
  const id = newIdAt(now);
  const stored = await storeBody(ctx, "template", textOf(id), input.body);
  const content: VersionRow = {
    id,
    projectId: ctx.project.number,
    templateId: newIdAt(now),
    number: 1,
    ...changeContent(input, null),
    ...stored,
    type: input.type ?? "MARKETING",
    createdAt: now,
    checkAt: null,
  };
  try {
    const topicId = input.topicId ?? null;
    return await saveTemplate(ctx, { name: input.name, description: input.description || null, topicId, content });
  } catch (error) {
    if (error instanceof Refusal) forgetBody(ctx, stored);
    throw error;
  }
}

async function saveTemplate(ctx: Context, made: NewTemplate): Promise<StoredTemplate> {
  const { content, topicId } = made;
  const batch = openBatch(ctx);
  batch.recognise(isInserted("templates", ctx, content.templateId));
  if (topicId !== null) batch.add(guardTopic(ctx, topicId));
  batch.add(guardTemplates(ctx));
  recordChange(batch, ctx, auditedTemplate(ctx, content.templateId));
  batch.add(insertVersion(ctx, content, { isSenderChecked: true }));
  const inserted = batch.add(insertTemplate(ctx, made));
  await batch.commit();
  if (!inserted.first) throw new UnverifiedSender(domainOf(content.fromEmail));
  return { row: inserted.first, content };
}
