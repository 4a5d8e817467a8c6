import { Invalid } from "../../core/errors";
import { type Id, publicId } from "../../core/ids";
import type { JsonObject } from "../../core/json";
import { chooseLanguage } from "../../core/languages/language";
import { renderMail } from "../../core/mail/render-mail";
import type { RecipientLinks } from "../../core/mail/unsubscribing";
import { RenderLimitError, TemplateRenderError } from "../../core/templating/errors";
import { missingVariables } from "../../core/templating/missing";
import { parseTemplate } from "../../core/templating/render";
import { templateVariables } from "../../core/templating/variables";
import { getContact } from "../../engine/contacts/contact";
import { readGivenData } from "../../engine/contacts/given-data";
import { templateBody } from "../../engine/mail/body";
import { linkBase, pagePaths } from "../../engine/mail/links";
import type { Context } from "../../platform/context";
import type { PreviewTemplate } from "./schema";
import { getTemplate } from "./template";

interface Preview {
  subject: string;
  html: string;
  text: string;
  missing: string[];
}

/** `POST /templates/{id}/preview`: renders the mail as it would be sent, with its footer. Nothing is sent or stored. */
export async function previewTemplate(ctx: Context, id: Id, asked: PreviewTemplate): Promise<Preview> {
  const { content } = await getTemplate(ctx, id);
  const body = await templateBody(ctx, content);
  const links = sampleLinks(ctx, id);
  const variables = await previewVariables(ctx, asked, links);
  const { subject, previewText, type } = content;
  try {
    const language = chooseLanguage([variables.locale, ctx.project.locale]);
    const said = { type, subject, previewText, body, variables, language, imprint: ctx.project };
    const mail = renderMail({ ...said, links, headers: {}, list: { feedbackId: "", listId: "" } });
    const templates = [
      parseTemplate(subject, "text"),
      parseTemplate(previewText ?? "", "text"),
      parseTemplate(body, "html"),
    ];
    const missing = missingVariables(templates, variables);
    return { subject: mail.subject, html: mail.html, text: mail.text, missing };
  } catch (error) {
    if (!(error instanceof RenderLimitError || error instanceof TemplateRenderError)) throw error;
    throw new Invalid([{ field: error.part ?? "body", code: "custom", message: error.message }]);
  }
}

async function previewVariables(
  ctx: Context,
  { contactId, data }: PreviewTemplate,
  links: RecipientLinks,
): Promise<Record<string, unknown>> {
  const ownData: JsonObject = readGivenData(ctx, data).own;
  if (contactId) {
    const { id, email, subscribed, data } = await getContact(ctx, contactId);
    return templateVariables({ contact: { id: publicId(id), email, subscribed, data }, ownData, links });
  }
  const nobody = { id: "", email: "", subscribed: true, data: {} };
  return templateVariables({ contact: nobody, ownData, links });
}

/**
 * Placeholders that look like links but do not work, because a mail that was never sent must not unsubscribe anyone.
 */
function sampleLinks(ctx: Context, templateId: Id): RecipientLinks {
  const base = linkBase(ctx) ?? "";
  const links = {
    unsubscribeUrl: `${base}${pagePaths.unsubscribe}preview`,
    subscribeUrl: `${base}${pagePaths.subscribe}preview`,
    manageUrl: `${base}${pagePaths.manage}preview`,
  };
  const isConfirmation = ctx.project.confirmationTemplateId === templateId;
  return isConfirmation ? { ...links, confirmUrl: `${base}${pagePaths.confirm}preview` } : links;
}
