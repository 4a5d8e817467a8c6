import { Refusal, UnverifiedSender } from "../../core/errors";
import { newId } from "../../core/ids";
import { domainOf } from "../../core/mail/address";
import { commit } from "../../db/commit";
import { readRow } from "../../db/rows";
import { templates, type VersionRow } from "../../db/tables";
import { forgetBody, storeBody } from "../../engine/mail/body";
import { checkLiquid } from "../../engine/mail/check-liquid";
import type { Context } from "../../platform/context";
import { recordTemplate, recordVersion } from "./save-statements";
import type { CreateTemplate } from "./schema";
import type { Template } from "./template";

/** `POST /templates`. One round trip: whether the sender may send is asked in the insert itself. */
export async function createTemplate(ctx: Context, input: CreateTemplate): Promise<Template> {
  checkLiquid("subject", input.subject, "text");
  checkLiquid("body", input.body, "html");
  const id = newId();
  const stored = await storeBody(ctx, "template", id, input.body);
  const content: VersionRow = {
    id,
    projectId: ctx.project.id,
    templateId: newId(),
    number: 1,
    subject: input.subject,
    ...stored,
    fromEmail: input.from,
    fromName: input.fromName || null,
    replyTo: input.replyTo ?? null,
    type: input.type ?? "MARKETING",
    createdAt: ctx.now.getTime(),
  };
  try {
    return await insertTemplate(ctx, { name: input.name, description: input.description || null, content });
  } catch (error) {
    if (error instanceof Refusal) forgetBody(ctx, stored);
    throw error;
  }
}

async function insertTemplate(
  ctx: Context,
  made: { name: string; description: string | null; content: VersionRow },
): Promise<Template> {
  const { content } = made;
  const [, inserted] = await commit(ctx.db, [
    recordVersion(ctx, content, { isSenderChecked: true }),
    recordTemplate(ctx, made),
  ]);
  if (!inserted?.[0]) throw new UnverifiedSender(domainOf(content.fromEmail));
  return { row: readRow(templates, inserted[0]), content };
}
