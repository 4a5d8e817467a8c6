import { filledIn } from "../languages/language";
import type { Framed } from "../templating/frame";
import type { BodyKind } from "./document";
import { type Footer, visibleOf, withFooterIn } from "./footer";
import { imprintLines } from "./imprint";
import type { EmailType } from "./status";

/** The URLs of one recipient's pages. */
export interface RecipientLinks {
  unsubscribeUrl: string;
  subscribeUrl: string;
  manageUrl: string;
  /** The page that confirms a subscription. Set only in an email of double opt-in. */
  confirmUrl?: string;
}

interface Rendered {
  type: EmailType;
  body: Framed;
  kind: BodyKind;
  /** The caller's own headers. */
  headers: Record<string, string>;
  links: RecipientLinks | null;
  list: ListHeaders;
  footer: Footer;
}

/** The headers that identify the mailing list of an email. */
export interface ListHeaders {
  /** Identifies the sender in the statistics of mailbox providers. */
  feedbackId: string;
  /** The id of the list, which is the same for all of its mail (RFC 2919). */
  listId: string;
}

/**
 * Adds what the type of an email requires. MARKETING gets a footer, unless its body links to the recipient's pages, and
 * the headers for the mailbox's unsubscribe button. HEADLESS gets the headers if its body links to the pages.
 * TRANSACTIONAL is unchanged, but is marked as written by a program.
 */
export function withUnsubscribing({ type, body, kind, headers, links, list, footer }: Rendered): {
  body: Framed;
  headers: Record<string, string>;
} {
  const single = { body, headers: withOwn([["Auto-Submitted", "auto-generated"]], headers) };
  if (type === "TRANSACTIONAL" || links === null) return single;
  const isLinked = linksTo(body.output, [links.unsubscribeUrl, links.manageUrl]);
  if (type === "HEADLESS" && !isLinked) return single;
  return {
    body: isLinked ? body : withFooterIn(body, kind, links, footer),
    headers: unsubscribeHeaders(links, list, headers),
  };
}

/**
 * Adds the footer's lines to the text part of MARKETING mail that has no link to the recipient's pages, for example
 * because the text was cut.
 */
export function withUnsubscribeLine(
  type: EmailType,
  text: string,
  links: RecipientLinks | null,
  footer: Footer,
): string {
  if (type !== "MARKETING" || links === null) return text;
  if (text.includes(links.unsubscribeUrl) || text.includes(links.manageUrl)) return text;
  const line = filledIn(footer.words.line, { url: links.unsubscribeUrl });
  return [text, line, imprintLines(footer.imprint).join("\n")].filter((part) => part !== "").join("\n\n");
}

/**
 * Adds the headers of RFC 2369, RFC 2919 and RFC 8058 to the caller's own. List mail needs no Auto-Submitted (RFC
 * 3834), because automatic responders do not answer it. A caller's List-Unsubscribe that contains an address replaces
 * both of our unsubscribe headers. A caller's List-Unsubscribe-Post alone has no effect.
 */
function unsubscribeHeaders(
  { unsubscribeUrl }: RecipientLinks,
  { feedbackId, listId }: ListHeaders,
  given: Record<string, string>,
): Record<string, string> {
  const hasOwn = Object.entries(given).some(([name, value]) => isListUnsubscribe(name) && /<[^<>\s]+>/.test(value));
  const theirs = Object.entries(given).filter(([name]) => hasOwn || !/^list-unsubscribe(-post)?$/i.test(name));
  const button: [string, string][] = [
    ["List-Unsubscribe", `<${unsubscribeUrl}>`],
    ["List-Unsubscribe-Post", "List-Unsubscribe=One-Click"],
  ];
  const ours: [string, string][] = [
    ["List-Id", listId],
    ["Precedence", "bulk"],
    ["Feedback-ID", feedbackId],
  ];
  return withOwn([...(hasOwn ? [] : button), ...ours], Object.fromEntries(theirs));
}

/** Merges our headers with the caller's, which override ours of the same name. */
function withOwn(ours: [string, string][], given: Record<string, string>): Record<string, string> {
  const names = new Set(Object.keys(given).map((name) => name.toLowerCase()));
  const added = ours.filter(([name, value]) => value !== "" && !names.has(name.toLowerCase()));
  return { ...Object.fromEntries(added), ...given };
}

function isListUnsubscribe(name: string): boolean {
  return name.toLowerCase() === "list-unsubscribe";
}

const maxTagLength = 2_000;

/**
 * Whether the body has a visible `<a href>` to one of the URLs. When in doubt, the answer is no, because a second link
 * does no harm.
 */
function linksTo(html: string, urls: string[]): boolean {
  const named = urls.filter((url) => html.includes(url));
  if (named.length === 0) return false;
  const visible = visibleOf(html);
  return named.some((url) => {
    for (let at = visible.indexOf(url); at >= 0; at = visible.indexOf(url, at + url.length)) {
      const before = visible.slice(Math.max(0, at - maxTagLength), at);
      const tag = before.slice(before.lastIndexOf("<"));
      if (/^<a\s/i.test(tag) && !tag.includes(">") && /\shref\s*=\s*["']?$/i.test(tag)) return true;
    }
    return false;
  });
}
