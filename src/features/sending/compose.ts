import type { ContactSnapshot, Message } from "../../core/mail/message";
import { ended, type Outcome, outcomeOfLateRetry } from "../../core/mail/outcome";
import { plainText } from "../../core/mail/plain-text";
import { RenderLimitError, TemplateRenderError } from "../../core/templating/errors";
import { parseTemplate, renderTemplate } from "../../core/templating/render";
import { templateVariables } from "../../core/templating/variables";
import { blobKey } from "../../platform/blobs";
import type { Context } from "../../platform/context";
import type { Claim, ContentRow, EmailRow } from "./claim";
import type { Ready } from "./record";
import type { Result } from "./results";
import { maxSubjectLength } from "./schema";
import { suppressedReason } from "./send-statements";

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
  const late = outcomeOfLateRetry(uncertainSince, ctx.mailer.idempotencyWindowMs, ctx.clock().getTime());
  if (late) return late;
  if (ctx.project.disabled) return ended("FAILED", "The project is disabled", uncertainSince);
  if (claim.suppressed.has(email.toEmail)) return ended("SUPPRESSED", suppressedReason, uncertainSince);
  if (email.contact === null) return ended("CANCELLED", contactGone, uncertainSince);
  const content = claim.contents.get(email.contentId);
  const body = content && (await bodyOf(ctx, content));
  if (!content || body === null || body === undefined)
    return ended("FAILED", "The content is no longer kept", uncertainSince);
  try {
    const message = renderMessage(email, email.contact, content, body);
    if (message.subject.length <= maxSubjectLength) return message;
    return ended("FAILED", `The subject is longer than ${maxSubjectLength} characters once rendered`, uncertainSince);
  } catch (error) {
    if (error instanceof RenderLimitError || error instanceof TemplateRenderError)
      return ended("FAILED", error.message, uncertainSince);
    throw error;
  }
}

const contactGone = "The contact was deleted before the email was sent";

/** Read from R2 once per claim, however many recipients share it. */
async function bodyOf(ctx: Context, content: ContentRow): Promise<string | null> {
  if (content.body !== null) return content.body;
  const bytes = await ctx.blobs.get(blobKey("content", ctx.project.id, content.id));
  content.body = bytes && new TextDecoder().decode(bytes);
  return content.body;
}

function renderMessage(email: EmailRow, contact: ContactSnapshot, content: ContentRow, body: string): Message {
  const variables = templateVariables({
    contact,
    ownData: content.ownData,
    recipientName: email.toName ?? undefined,
  });
  const html = renderTemplate(parseTemplate(body, "html"), variables);
  return {
    emailId: email.id,
    projectId: email.projectId,
    from: { email: content.fromEmail, written: content.fromEmail, name: content.fromName },
    to: { email: email.toEmail, written: email.toWritten, name: email.toName },
    replyTo: content.replyTo,
    subject: renderTemplate(parseTemplate(content.subject, "text"), variables),
    html,
    text: plainText(html),
    headers: content.headers,
    date: new Date(email.createdAt),
  };
}
