import { Conflict, Gone } from "../../core/errors";
import type { ContactSnapshot } from "../../core/mail/message";
import { RenderLimitError, TemplateRenderError } from "../../core/templating/errors";
import type { Context } from "../../platform/context";
import { recipientLinks } from "../preferences/links";
import { type ContentRow, type EmailRow, findContent } from "../sending/claim";
import { renderMessage } from "../sending/compose";
import { loadBody } from "../templates/body";
import { getEmail } from "./email";

/** What an email says to its recipient, rendered as it was sent, or as it would be now when it was not taken up yet. */
export async function readContent(ctx: Context, id: string) {
  const { email } = await getEmail(ctx, id);
  const found = await findContent(ctx, email);
  const body = found && (await loadBody(ctx, found.content));
  if (!found || body === null) throw new Gone("The content of this email is no longer kept.");
  try {
    return await contentJson(ctx, email, { ...found.content, body }, found.contact);
  } catch (error) {
    if (!isUnrenderable(error)) throw error;
    throw new Conflict(`This email cannot be rendered: ${error.message}`);
  }
}

export async function contentJson(
  ctx: Context,
  email: EmailRow,
  content: ContentRow & { body: string },
  contact: ContactSnapshot,
) {
  const { projectId, contactId, id: emailId } = email;
  const links = await recipientLinks(ctx, content.linkBase, { projectId, contactId, emailId });
  const { subject, html, text, headers } = renderMessage(email, contact, content, links);
  const attachments = content.attachments.map(({ filename, contentType, size }) => ({ filename, contentType, size }));
  return { subject, html, text, headers, attachments };
}

/** The content is there, and what it says to this contact cannot be made of it. */
export function isUnrenderable(error: unknown): error is RenderLimitError | TemplateRenderError {
  return error instanceof RenderLimitError || error instanceof TemplateRenderError;
}
