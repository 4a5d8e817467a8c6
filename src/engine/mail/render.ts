import { publicId, publicIdOrNull } from "../../core/ids";
import { chooseLanguage } from "../../core/languages/language";
import { type Address, domainOf } from "../../core/mail/address";
import { breakLinksInData } from "../../core/mail/break-links";
import { listIdHeader } from "../../core/mail/list-id";
import type { ContactSnapshot, Message } from "../../core/mail/message";
import { renderMail } from "../../core/mail/render-mail";
import type { ListHeaders, RecipientLinks } from "../../core/mail/unsubscribing";
import type { Budget } from "../../core/templating/budget";
import { RenderLimitError, TemplateRenderError } from "../../core/templating/errors";
import { templateVariables } from "../../core/templating/variables";
import type { Tracker } from "../../core/tracking/track-links";
import { executionVariables } from "../../core/workflows/run-variables";
import type { ContentRow, EmailRow } from "../../db/tables";
import type { Context, Project } from "../../platform/context";
import { recipientLinks } from "./links";

/** The parts of an email that are not in its own row. */
interface Rendering {
  content: ContentRow & { body: string };
  contact: ContactSnapshot;
  links: RecipientLinks | null;
  /** Null when the mail is only displayed, because displaying it is not an open by its recipient. */
  tracker: Tracker | null;
  /** The budget for rendering all parts of the mail. */
  budget?: Budget;
}

/** Renders a message without its files. Can throw RenderLimitError and TemplateRenderError. */
export function renderMessage(
  project: Project,
  email: EmailRow,
  { content, contact, links, tracker, budget }: Rendering,
): Omit<Message, "attachments"> {
  const { type, subject, previewText, body, headers } = content;
  const variables = variablesOf(email, { content, contact: asPrinted(email, content, contact), links });
  const language = chooseLanguage([variables.locale, project.locale]);
  return {
    emailId: publicId(email.id),
    projectId: project.id,
    projectNumber: project.number,
    type,
    from: ownAddress(content.fromEmail, content.fromName),
    to: { email: email.toEmail, written: email.toWritten ?? email.toEmail, name: email.toName },
    replyTo: content.replyTo === null ? null : ownAddress(content.replyTo, null),
    ...renderMail({
      type,
      subject,
      previewText,
      body,
      headers,
      variables,
      links,
      tracker,
      list: listHeaders(project, content),
      language,
      imprint: project,
      budget,
    }),
    // The date stays the same on every attempt, unless a person has asked to send the mail again.
    date: new Date(email.retriedAt ?? email.scheduledAt ?? email.createdAt),
  };
}

/** Returns an address of the project, which is stored in its normalized form alone. */
function ownAddress(email: string, name: string | null): Address {
  return { email, written: email, name };
}

/**
 * Breaks links in the data of a stranger, in mail that a stranger can cause. Campaigns are exempt, because a project
 * chooses their recipients itself, and can leave strangers out.
 */
function asPrinted({ source }: EmailRow, { isConfirmation }: ContentRow, contact: ContactSnapshot): ContactSnapshot {
  const mayBeTheirs = source === "WORKFLOW" || isConfirmation;
  return mayBeTheirs && contact.isStranger ? { ...contact, data: breakLinksInData(contact.data) } : contact;
}

/** Returns the variables that the content of an email can use. */
export function variablesOf(
  { contactId, toName, source, ownData }: Pick<EmailRow, "contactId" | "toName" | "source" | "ownData">,
  { content, contact, links }: Pick<Rendering, "contact" | "links"> & { content: Pick<ContentRow, "ownData"> },
): Record<string, unknown> {
  return templateVariables({
    contact: { ...contact, id: publicId(contactId) },
    ownData: content.ownData,
    ...(source === "WORKFLOW" && { execution: executionVariables(ownData ?? {}) }),
    recipientName: toName ?? undefined,
    links: links ?? undefined,
  });
}

/** Returns the list headers. A topic is a list of its own; all other mail of a project from one domain is one list. */
function listHeaders(project: Project, content: ContentRow): ListHeaders {
  const { fromEmail, fromName, topicId } = content;
  return {
    feedbackId: feedbackId(project, content),
    listId: listIdHeader(fromName, publicIdOrNull(topicId) ?? project.id, domainOf(fromEmail)),
  };
}

/** Returns the Feedback-ID, whose four parts go from narrow to wide. Gmail groups complaints by each of them. */
function feedbackId(project: Project, { campaignId, templateId, type }: ContentRow): string {
  return `${publicIdOrNull(campaignId ?? templateId) ?? "none"}:${project.id}:${type.toLowerCase()}:petrel`;
}

export function contentJson(
  ctx: Context,
  email: EmailRow,
  content: ContentRow & { body: string },
  contact: ContactSnapshot,
) {
  const links = recipientLinks(ctx, content, email);
  const { subject, html, text, headers } = renderMessage(ctx.project, email, {
    content,
    contact,
    links,
    tracker: null,
  });
  const attachments = content.attachments.map(({ filename, contentType, size }) => ({ filename, contentType, size }));
  return { subject, html, text, headers, attachments };
}

/** Whether the error means that the content cannot be rendered for this contact. */
export function isUnrenderable(error: unknown): error is RenderLimitError | TemplateRenderError {
  return error instanceof RenderLimitError || error instanceof TemplateRenderError;
}
