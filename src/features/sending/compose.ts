import type { Attachment } from "../../core/mail/attachments";
import type { ContactSnapshot, Message } from "../../core/mail/message";
import { ended, type Outcome, outcomeOfLateRetry } from "../../core/mail/outcome";
import { renderMail } from "../../core/mail/render-mail";
import type { RecipientLinks } from "../../core/mail/unsubscribing";
import { RenderLimitError, TemplateRenderError } from "../../core/templating/errors";
import { templateVariables } from "../../core/templating/variables";
import type { Context } from "../../platform/context";
import { recipientLinks } from "../preferences/links";
import { loadBody } from "../templates/body";
import { loadAttachments } from "./attachments";
import type { Claim, ContentRow, EmailRow } from "./claim";
import type { Ready } from "./record";
import type { Result } from "./results";
import { maxSubjectLength } from "./schema";
import { optedOutReason, suppressedReason } from "./send-statements";

/** What of a round can be handed over, and what ends without the provider being asked. */
export interface ComposedRound {
  ready: Ready[];
  ended: Result[];
}

export async function composeRound(ctx: Context, claim: Claim, round: EmailRow[]): Promise<ComposedRound> {
  const composed: ComposedRound = { ready: [], ended: [] };
  for (const email of round) {
    const message = await composeEmail(ctx, claim, email);
    if ("status" in message) composed.ended.push({ emailId: email.id, ...message });
    else composed.ready.push({ email, message });
  }
  return composed;
}

/** The finished message of a claimed email, or why there will be none. */
async function composeEmail(ctx: Context, claim: Claim, email: EmailRow): Promise<Message | Outcome> {
  const { uncertainSince } = email;
  // Only the provider that was called before would recognise the mail.
  const windowMs = email.provider === ctx.mailer.name ? ctx.mailer.idempotencyWindowMs : 0;
  const late = outcomeOfLateRetry(uncertainSince, windowMs, ctx.clock().getTime());
  if (late) return late;
  if (ctx.project.disabled) return ended("FAILED", "The project is disabled", uncertainSince);
  if (claim.suppressed.has(email.toEmail)) return ended("SUPPRESSED", suppressedReason, uncertainSince);
  if (claim.optedOut.has(email.id)) return ended("SUPPRESSED", optedOutReason, uncertainSince);
  if (email.contact === null) return ended("CANCELLED", contactGone, uncertainSince);
  const content = claim.contents.get(email.contentId);
  const body = content && (await bodyOf(ctx, content));
  const files = content && (await filesOf(ctx, claim, content));
  if (!content || !files || body === null || body === undefined)
    return ended("FAILED", "The content is no longer kept", uncertainSince);
  // Since the mail was accepted the domain may have lapsed, or have become somebody else's.
  if (!claim.maySend.has(content.id)) return ended("FAILED", domainGone, uncertainSince);
  const { projectId, contactId, id: emailId } = email;
  const links = await recipientLinks(ctx, content.linkBase, { projectId, contactId, emailId });
  if (email.type === "MARKETING" && links === null) return ended("FAILED", noLinks, uncertainSince);
  try {
    const message = { ...renderMessage(email, email.contact, { ...content, body }, links), attachments: files };
    if (message.subject.length <= maxSubjectLength) return message;
    return ended("FAILED", `The subject is longer than ${maxSubjectLength} characters once rendered`, uncertainSince);
  } catch (error) {
    if (error instanceof RenderLimitError || error instanceof TemplateRenderError)
      return ended("FAILED", error.message, uncertainSince);
    throw error;
  }
}

const noLinks =
  "Marketing email needs unsubscribe links, and this installation cannot sign any: its operator must set LINK_SECRETS";

const domainGone = "The sender domain is not a verified domain of this project any more";

const contactGone = "The contact was deleted before the email was sent";

/** Read from R2 once per claim, however many recipients share it. */
async function bodyOf(ctx: Context, content: ContentRow): Promise<string | null> {
  content.body = await loadBody(ctx, content);
  return content.body;
}

async function filesOf(ctx: Context, claim: Claim, content: ContentRow): Promise<Attachment[] | null> {
  if (content.attachments.length === 0) return [];
  const known = claim.files?.contentId === content.id ? claim.files.attachments : null;
  if (known) return known;
  const attachments = await loadAttachments(ctx, content);
  // Of one content at a time: they may be large.
  claim.files = attachments && { contentId: content.id, attachments };
  return attachments;
}

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
function feedbackId({ campaignId, templateId, projectId, type }: EmailRow): string {
  return `${campaignId ?? templateId ?? "none"}:${projectId}:${type.toLowerCase()}:petrel`;
}
