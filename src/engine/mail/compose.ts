import { type Message, maxSubjectLength } from "../../core/mail/message";
import { ended, type Outcome, outcomeOfAbandoned, outcomeOfLateRetry } from "../../core/mail/outcome";
import { RenderLimitError, TemplateRenderError } from "../../core/templating/errors";
import type { ContentRow, EmailRow } from "../../db/tables";
import type { Context } from "../../platform/context";
import { largeMailBytes } from "./announce";
import { loadAttachments } from "./attachments";
import { loadBody } from "./body";
import { keptSnapshot } from "./content";
import type { Delivery } from "./delivery";
import { type Ready, resultOf } from "./hand-over";
import { recipientLinks } from "./links";
import type { Result } from "./record";
import { renderMessage } from "./render";
import { contactGone } from "./withhold";

/** The part of a round that can be handed over, and the part that ends without a call to the provider. */
export interface ComposedRound {
  ready: Ready[];
  ended: Result[];
  /**
   * Emails that turned out to be large and need a round of their own. Their calls in the provider's pace are given up.
   */
  setAside: EmailRow[];
}

/**
 * Composes a round of mail, one after another. The size of a mail may only show now: a template's body in R2 was never
 * measured, and a small one may render to a large text.
 */
export async function composeRound(ctx: Context, delivery: Delivery, round: EmailRow[]): Promise<ComposedRound> {
  const composed: ComposedRound = { ready: [], ended: [], setAside: [] };
  const isAlone = round.length === 1;
  for (const email of round) {
    const mail = isAlone || !delivery.large.has(email.contentId) ? await composeEmail(ctx, delivery, email) : null;
    if (mail && "status" in mail) composed.ended.push(resultOf(email, mail));
    else if (mail && (isAlone || sizeOf(mail.message) <= largeMailBytes)) composed.ready.push(mail);
    else {
      delivery.large.add(email.contentId);
      composed.setAside.push(email);
    }
  }
  return composed;
}

function sizeOf({ html, text, attachments }: Message): number {
  return attachments.reduce((sum, { content }) => sum + content.length, html.length + text.length);
}

/** The complete message of an email, or the outcome if there is none. */
async function composeEmail(ctx: Context, delivery: Delivery, email: EmailRow): Promise<Ready | Outcome> {
  const { uncertainSince } = email;
  const abandoned = delivery.isAgain ? outcomeOfAbandoned(email.abandonments, uncertainSince) : null;
  if (abandoned) return abandoned;
  // Only the provider that was called before would recognise the mail.
  const windowMs = email.provider === ctx.mailer.name ? ctx.mailer.idempotencyWindowMs : 0;
  const late = outcomeOfLateRetry(uncertainSince, windowMs, ctx.clock().getTime());
  if (late) return late;
  if (ctx.project.disabled) return ended("FAILED", "The project is disabled", uncertainSince);
  if (email.contact === null) return ended("CANCELLED", contactGone, uncertainSince);
  const content = delivery.contents.get(email.contentId);
  const loaded = content && (await load(ctx, delivery, content));
  if (!content || !loaded) return ended("FAILED", "The content of this email is no longer stored", uncertainSince);
  const { body, attachments } = loaded;
  // Since the mail was accepted, the domain may have lost its verification, or belong to another project.
  if (!delivery.maySend.has(content.id)) return ended("FAILED", domainGone, uncertainSince);
  const { contactId, id: emailId } = email;
  const links = await recipientLinks(ctx, content.linkBase, { projectId: ctx.project.id, contactId, emailId });
  if (content.type === "MARKETING" && links === null) return ended("FAILED", noLinks, uncertainSince);
  try {
    const said = { ...content, body };
    const message = {
      ...renderMessage(ctx.project, email, { content: said, contact: email.contact, links }),
      attachments,
    };
    if (message.subject.length <= maxSubjectLength)
      return { email, message, contact: keptSnapshot(said, email.contact) };
    return ended("FAILED", `The rendered subject is longer than ${maxSubjectLength} characters`, uncertainSince);
  } catch (error) {
    if (error instanceof RenderLimitError || error instanceof TemplateRenderError)
      return ended("FAILED", error.message, uncertainSince);
    throw error;
  }
}

const noLinks =
  "Marketing email needs unsubscribe links, but this installation cannot sign them: its operator must set LINK_SECRETS";

const domainGone = "The sender domain is no longer a verified domain of this project";

/** Null when the content is no longer stored. One content at a time, because bodies and files may be large. */
async function load(ctx: Context, delivery: Delivery, content: ContentRow): Promise<Delivery["loaded"]> {
  if (delivery.loaded?.contentId === content.id) return delivery.loaded;
  delivery.loaded = null;
  const body = await loadBody(ctx, content);
  const attachments = body === null ? null : await loadAttachments(ctx, content);
  if (body !== null && attachments !== null) delivery.loaded = { contentId: content.id, body, attachments };
  return delivery.loaded;
}
