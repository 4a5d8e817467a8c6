import type { Id } from "../../core/ids";
import { templateBody } from "../../engine/mail/body";
import { previewMail } from "../../engine/mail/preview";
import { getTemplate } from "../../engine/mail/template";
import type { Context } from "../../platform/context";
import type { PreviewTemplate, TemplatePreview } from "./schema";

/** `POST /templates/{id}/preview`: renders the mail as it would be sent, with its footer. Nothing is sent or stored. */
export async function previewTemplate(ctx: Context, id: Id, asked: PreviewTemplate): Promise<TemplatePreview> {
  const { content } = await getTemplate(ctx, id);
  const body = await templateBody(ctx, content);
  const isConfirmation = ctx.project.confirmationTemplateId === id;
  return previewMail(ctx, { ...content, body, isConfirmation }, asked);
}
