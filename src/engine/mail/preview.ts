import { Invalid } from "../../core/errors";
import { type Id, publicId } from "../../core/ids";
import type { JsonObject } from "../../core/json";
import { chooseLanguage } from "../../core/languages/language";
import { renderMail } from "../../core/mail/render-mail";
import type { EmailType } from "../../core/mail/status";
import type { RecipientLinks } from "../../core/mail/unsubscribing";
import { RenderLimitError, TemplateRenderError } from "../../core/templating/errors";
import { missingVariables } from "../../core/templating/missing";
import { templatesOf } from "../../core/templating/render";
import { templateVariables } from "../../core/templating/variables";
import type { Context } from "../../platform/context";
import { getContact } from "../contacts/contact";
import { readGivenData } from "../contacts/given-data";
import { linkBase, pagePaths } from "./links";

/** The content of an email that is shown without sending or storing it. */
interface PreviewedContent {
  type: EmailType;
  subject: string;
  previewText: string | null;
  body: string;
  /** Whether the mail is a double opt-in mail. Only such mail has `confirmUrl`. */
  isConfirmation?: boolean;
}

/** The data that fills the mail: the data of a contact, overridden by the data of the call. */
interface PreviewData {
  contactId?: Id | null;
  data?: JsonObject;
}

interface MailPreview {
  subject: string;
  html: string;
  text: string;
  /** The variables of the content that have no value. */
  missing: string[];
}

/** Renders an email as it would be sent, with its footer. Throws Invalid when it cannot be rendered. */
export async function previewMail(
  ctx: Context,
  { isConfirmation = false, ...content }: PreviewedContent,
  asked: PreviewData,
): Promise<MailPreview> {
  const links = sampleLinks(ctx, isConfirmation);
  const variables = await previewVariables(ctx, asked, links);
  try {
    const language = chooseLanguage([variables.locale, ctx.project.locale]);
    const said = { ...content, variables, language, imprint: ctx.project };
    const mail = renderMail({ ...said, links, headers: {}, list: { feedbackId: "", listId: "" } });
    const missing = missingVariables(templatesOf(content), variables);
    return { subject: mail.subject, html: mail.html, text: mail.text, missing };
  } catch (error) {
    if (!(error instanceof RenderLimitError || error instanceof TemplateRenderError)) throw error;
    throw new Invalid([{ field: error.part ?? "body", code: "custom", message: error.message }]);
  }
}

async function previewVariables(
  ctx: Context,
  { contactId, data }: PreviewData,
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
 * Returns placeholders that look like links but do not work, because an email that was never sent must not unsubscribe
 * anyone.
 */
function sampleLinks(ctx: Context, isConfirmation: boolean): RecipientLinks {
  const base = linkBase(ctx) ?? "";
  const links = {
    unsubscribeUrl: `${base}${pagePaths.unsubscribe}preview`,
    subscribeUrl: `${base}${pagePaths.subscribe}preview`,
    manageUrl: `${base}${pagePaths.manage}preview`,
  };
  return isConfirmation ? { ...links, confirmUrl: `${base}${pagePaths.confirm}preview` } : links;
}
