import type { ContactSnapshot, Message } from "../../core/mail/message";
import { renderMail } from "../../core/mail/render-mail";
import type { RecipientLinks } from "../../core/mail/unsubscribing";
import { RenderLimitError, TemplateRenderError } from "../../core/templating/errors";
import { templateVariables } from "../../core/templating/variables";
import type { ContentRow, EmailRow } from "../../db/tables";
import type { Context } from "../../platform/context";
import { recipientLinks } from "./links";

/** All of a message but its files. Throws RenderLimitError and TemplateRenderError. */
export function renderMessage(
  email: EmailRow,
  contact: ContactSnapshot,
  content: ContentRow & { body: string },
  links: RecipientLinks | null,
): Omit<Message, "attachments"> {
  const variables = templateVariables({
    contact,
    ownData: content.ownData,
    recipientName: email.toName ?? undefined,
    links: links ?? undefined,
  });
  return {
    emailId: email.id,
    projectId: email.projectId,
    type: email.type,
    from: { email: content.fromEmail, written: content.fromEmail, name: content.fromName },
    to: { email: email.toEmail, written: email.toWritten, name: email.toName },
    replyTo: content.replyTo,
    ...renderMail({
      ...{ type: email.type, subject: content.subject, body: content.body, headers: content.headers },
      ...{ variables, links, feedbackId: feedbackId(email) },
    }),
    date: new Date(email.createdAt),
  };
}

/** From the narrow to the wide, as Gmail groups complaints by each of the four. */
export function feedbackId({ campaignId, templateId, projectId, type }: EmailRow): string {
  return `${campaignId ?? templateId ?? "none"}:${projectId}:${type.toLowerCase()}:petrel`;
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
