import type { Context as HonoContext } from "hono";
import { NotFound } from "../../core/errors";
import { chooseLanguage, type Language } from "../../core/languages/language";
import type { TokenPurpose } from "../../core/tokens";
import type { ContactRow } from "../../db/tables";
import { isTrouble } from "../../db/trouble";
import { pagePath } from "../../engine/mail/links";
import { policy } from "../../http/policy";
import type { AppEnv } from "../../http/router";
import type { Project } from "../../platform/context";
import { reasonOf } from "../../platform/log";
import { away, badLink, gone } from "./broken-page";
import { type Reader, show } from "./page";
import { findRecipient, type Recipient } from "./recipient";

/** The policy of recipients' links. The pages read forms themselves, with a lower limit than API calls. */
export const byLink = policy({ key: "signed", maxBody: null });

type Answer = (recipient: Recipient) => Promise<Response | null>;

/**
 * Answers a request with a link, which must be signed for `purpose`. If `answer` returns null, the link is not valid.
 * While the database does not answer, shows a page that says so, with status 503. A mailbox repeats its one-click
 * unsubscribe after a 503.
 */
export async function withRecipient(
  c: HonoContext<AppEnv, "/:token">,
  purpose: TokenPurpose,
  answer: Answer,
): Promise<Response> {
  try {
    return await answerRecipient(c, purpose, answer);
  } catch (error) {
    if (!isTrouble(error)) throw error;
    c.var.platform.log("error", "A recipient's page could not be shown", { purpose, reason: reasonOf(error) });
    c.header("Retry-After", String(retryAfterSeconds));
    return show(c, away(languageFor(c, null, null)), 503);
  }
}

const retryAfterSeconds = 60;

async function answerRecipient(
  c: HonoContext<AppEnv, "/:token">,
  purpose: TokenPurpose,
  answer: Answer,
): Promise<Response> {
  const found = await findRecipient(c.var.platform, purpose, c.req.param("token"));
  if (!found) return show(c, badLink(languageFor(c, null, null)), 404);
  const { project } = found.ctx;
  try {
    if (found.contact !== null) {
      return (await answer(found)) ?? show(c, badLink(languageFor(c, found.contact, project)), 404);
    }
  } catch (error) {
    // The contact was deleted just now. This is the page that the link will show from now on.
    if (!(error instanceof NotFound)) throw error;
  }
  return show(c, gone({ sender: senderOf(project), language: languageFor(c, null, project) }), 404);
}

export function readerOf(c: HonoContext<AppEnv>, { ctx, contact }: Recipient): Reader {
  const { project } = ctx;
  return { sender: senderOf(project), email: contact.email, language: languageFor(c, contact, project) };
}

function languageFor(c: HonoContext<AppEnv>, contact: ContactRow | null, project: Project | null): Language {
  return chooseLanguage([contact?.data.locale, project?.locale], c.req.header("Accept-Language"));
}

function senderOf({ fromName, name }: Project): string {
  return fromName ?? name;
}

/** Returns the path of the page with all choices. Like the link in the mail, the path leaves out the topic. */
export function managePath({ ctx, subject: { projectId, contactId, emailId } }: Recipient): string {
  return pagePath(ctx, "manage", { projectId, contactId, emailId });
}
