import { Unavailable } from "../../core/errors";
import { type Id, textOf } from "../../core/ids";
import type { RecipientLinks } from "../../core/mail/unsubscribing";
import { signToken, type TokenPurpose, type TokenSubject } from "../../core/tokens";
import type { Tracker } from "../../core/tracking/track-links";
import { openTracker } from "../../core/tracking/tracker";
import { writtenLinks } from "../../core/tracking/written-links";
import type { ContentRow, EmailRow } from "../../db/tables";
import type { Context } from "../../platform/context";

/** The paths of the pages for recipients. */
export const pagePaths = {
  unsubscribe: "/unsubscribe/",
  subscribe: "/subscribe/",
  manage: "/manage/",
  confirm: "/confirm/",
} as const;

/** Returns the path of a recipient's page. The path contains a signed token, so it cannot be guessed. */
export function pagePath(platform: Pick<Context, "config">, purpose: TokenPurpose, subject: TokenSubject): string {
  return pagePaths[purpose] + signToken(platform.config.linkSecrets, purpose, subject);
}

/**
 * Returns the links of one email. Returns null when there is no secret to sign them, or no base URL. Only double opt-in
 * mail has a link that confirms a subscription.
 */
export function recipientLinks(
  ctx: Pick<Context, "config" | "project">,
  { linkBase: base, topicId, isConfirmation }: Pick<ContentRow, "linkBase" | "topicId" | "isConfirmation">,
  { contactId, id: emailId }: Pick<EmailRow, "contactId" | "id">,
): RecipientLinks | null {
  if (base === null || ctx.config.linkSecrets.length === 0) return null;
  const subject: TokenSubject = { projectId: ctx.project.id, contactId, emailId };
  const ofTopic = topicId === null ? subject : { ...subject, topicId };
  const links = {
    unsubscribeUrl: base + pagePath(ctx, "unsubscribe", ofTopic),
    subscribeUrl: base + pagePath(ctx, "subscribe", ofTopic),
    manageUrl: base + pagePath(ctx, "manage", subject),
  };
  return isConfirmation ? { ...links, confirmUrl: base + pagePath(ctx, "confirm", subject) } : links;
}

/**
 * Returns the tracker that makes the pixel and the click links of an email. Returns null when the email is not tracked
 * or nothing can be signed. The mail is then sent without pixel and click links.
 */
export function mailTracker(
  ctx: Pick<Context, "config" | "project">,
  {
    id,
    isTracked,
    linkBase,
    campaignId,
    body,
  }: Pick<ContentRow, "id" | "isTracked" | "linkBase" | "campaignId" | "body">,
  emailId: Id,
): Tracker | null {
  const [secret] = ctx.config.linkSecrets;
  if (!isTracked || linkBase === null || secret === undefined) return null;
  const mail = { projectId: ctx.project.number, emailId };
  const written = campaignId === null || body === null ? null : { ...writtenLinks(body), contentId: textOf(id) };
  return openTracker(secret, linkBase, mail, written);
}

/**
 * Returns the base URL for the links of an email that is accepted now. Throws Unavailable when no base URL is
 * configured and the caller used a host that the installation does not know.
 */
export function linkBase({
  config,
  origin,
  foreignHost,
}: Pick<Context, "config" | "origin" | "foreignHost">): string | null {
  if (config.baseUrl === null && foreignHost !== null) throw unknownHost(foreignHost);
  return config.baseUrl ?? origin;
}

function unknownHost(host: string): Unavailable {
  return new Unavailable(
    `Links in email cannot lead to ${host}, which is not a configured host of this installation.`,
    {
      retryAfterSeconds: 60,
      suggestion: "Have the operator set PUBLIC_URL to the address at which recipients reach this installation.",
    },
  );
}
