import { Conflict, Gone } from "../../core/errors";
import { RenderLimitError, TemplateRenderError } from "../../core/templating/errors";
import type { Context } from "../../platform/context";
import { recipientLinks } from "../preferences/links";
import { findContent } from "../sending/claim";
import { renderMessage } from "../sending/compose";
import { loadBody } from "../templates/body";
import { getEmail } from "./email";

/** What an email says to its recipient, rendered as it was sent, or as it would be now when it was not taken up yet. */
export async function readContent(ctx: Context, id: string) {
  const { email } = await getEmail(ctx, id);
  const found = await findContent(ctx, email);
  const body = found && (await loadBody(ctx, found.content));
  if (!found || body === null) throw new Gone("The content of this email is no longer kept.");
  const { content, contact } = found;
  const { projectId, contactId } = email;
  const links = await recipientLinks(ctx, content.linkBase, { projectId, contactId, emailId: id });
  try {
    const { subject, html, text, headers } = renderMessage(email, contact, { ...content, body }, links);
    const attachments = content.attachments.map(({ filename, contentType, size }) => ({ filename, contentType, size }));
    return { subject, html, text, headers, attachments };
  } catch (error) {
    if (!(error instanceof RenderLimitError || error instanceof TemplateRenderError)) throw error;
    throw new Conflict(`This email cannot be rendered: ${error.message}`);
  }
}
