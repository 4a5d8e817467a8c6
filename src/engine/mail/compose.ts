import { type Message, maxSubjectLength } from "../../core/mail/message";
import { ended, type Outcome, outcomeOfLateRetry } from "../../core/mail/outcome";
import { RenderLimitError, TemplateRenderError } from "../../core/templating/errors";
import type { ContentRow, EmailRow } from "../../db/tables";
import type { Context } from "../../platform/context";
import { largeMailBytes } from "./announce";
import { loadAttachments } from "./attachments";
import { loadBody } from "./body";
import type { Claim } from "./claim";
import { recipientLinks } from "./links";
import type { Ready, Result } from "./record";
import { renderMessage } from "./render";
import { contactGone } from "./withhold";

/** What of a round can be handed over, and what ends without the provider being asked. */
export interface ComposedRound {
  ready: Ready[];
  ended: Result[];
  /** What turned out to be large, for a round of its own. Its call of the provider's pace is given up. */
  setAside: EmailRow[];
}

/**
 * Composes a round of mail, one after another. How large a mail is may only show now: a template's body in R2 was never
 * weighed, and a small one may render to much.
 */
export async function composeRound(ctx: Context, claim: Claim, round: EmailRow[]): Promise<ComposedRound> {
  const composed: ComposedRound = { ready: [], ended: [], setAside: [] };
  const isAlone = round.length === 1;
  for (const email of round) {
    const message = isAlone || !claim.large.has(email.contentId) ? await composeEmail(ctx, claim, email) : null;
    if (message && "status" in message) composed.ended.push({ emailId: email.id, ...message });
    else if (message && (isAlone || sizeOf(message) <= largeMailBytes)) composed.ready.push({ email, message });
    else {
      claim.large.add(email.contentId);
      composed.setAside.push(email);
    }
  }
  return composed;
}

function sizeOf({ html, text, attachments }: Message): number {
  return attachments.reduce((sum, { content }) => sum + content.length, html.length + text.length);
}

/** The finished message of a claimed email, or why there will be none. */
async function composeEmail(ctx: Context, claim: Claim, email: EmailRow): Promise<Message | Outcome> {
  const { uncertainSince } = email;
  // Only the provider that was called before would recognise the mail.
  const windowMs = email.provider === ctx.mailer.name ? ctx.mailer.idempotencyWindowMs : 0;
  const late = outcomeOfLateRetry(uncertainSince, windowMs, ctx.clock().getTime());
  if (late) return late;
  if (ctx.project.disabled) return ended("FAILED", "The project is disabled", uncertainSince);
  if (email.contact === null) return ended("CANCELLED", contactGone, uncertainSince);
  const content = claim.contents.get(email.contentId);
  const loaded = content && (await load(ctx, claim, content));
  if (!content || !loaded) return ended("FAILED", "The content is no longer kept", uncertainSince);
  const { body, attachments } = loaded;
  // Since the mail was accepted the domain may have lapsed, or have become somebody else's.
  if (!claim.maySend.has(content.id)) return ended("FAILED", domainGone, uncertainSince);
  const { projectId, contactId, id: emailId } = email;
  const links = await recipientLinks(ctx, content.linkBase, { projectId, contactId, emailId });
  if (email.type === "MARKETING" && links === null) return ended("FAILED", noLinks, uncertainSince);
  try {
    const message = { ...renderMessage(email, email.contact, { ...content, body }, links), attachments };
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

/** Null when it is no longer kept. Of one content at a time, as bodies and files may be large. */
async function load(ctx: Context, claim: Claim, content: ContentRow): Promise<Claim["loaded"]> {
  if (claim.loaded?.contentId === content.id) return claim.loaded;
  claim.loaded = null;
  const body = await loadBody(ctx, content);
  const attachments = body === null ? null : await loadAttachments(ctx, content);
  if (body !== null && attachments !== null) claim.loaded = { contentId: content.id, body, attachments };
  return claim.loaded;
}
