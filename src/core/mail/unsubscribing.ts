import { filledIn, type Words } from "../languages/language";
import { TextCache } from "../templating/cache";
import { type Framed, filledHtml, isStable, markFor } from "../templating/frame";
import type { EmailType } from "./status";

/** The texts of the footer in the language of the recipient. None of them has a character with a meaning in HTML. */
export type FooterWords = Words["footer"];

/** The recipient's own pages. */
export interface RecipientLinks {
  unsubscribeUrl: string;
  subscribeUrl: string;
  manageUrl: string;
  /** Only in a mail of double opt-in. */
  confirmUrl?: string;
}

interface Rendered {
  type: EmailType;
  body: Framed;
  /** The caller's own headers. */
  headers: Record<string, string>;
  links: RecipientLinks | null;
  list: ListHeaders;
  words: FooterWords;
}

/** What names the mailing list of a mail, each as the value of its header. */
export interface ListHeaders {
  /** Identifies the sender for the statistics of mailbox providers. */
  feedbackId: string;
  /** The same for every mail of a list (RFC 2919). */
  listId: string;
}

/**
 * Adds what the type of a mail requires. MARKETING gets a footer, unless its body links to the recipient's pages, and
 * the headers for the mailbox's unsubscribe button. HEADLESS gets the headers if its body links to the pages.
 * TRANSACTIONAL stays as it is, but says that a program wrote it.
 */
export function withUnsubscribing({ type, body, headers, links, list, words }: Rendered): {
  body: Framed;
  headers: Record<string, string>;
} {
  const single = { body, headers: withOwn([["Auto-Submitted", "auto-generated"]], headers) };
  if (type === "TRANSACTIONAL" || links === null) return single;
  const isLinked = linksTo(body.output, [links.unsubscribeUrl, links.manageUrl]);
  if (type === "HEADLESS" && !isLinked) return single;
  return {
    body: isLinked ? body : withFooterIn(body, links, words),
    headers: unsubscribeHeaders(links, list, headers),
  };
}

/** Adds an unsubscribe line to a text part that was cut or left out links. */
export function withUnsubscribeLine(
  type: EmailType,
  text: string,
  links: RecipientLinks | null,
  words: FooterWords,
): string {
  if (type !== "MARKETING" || links === null) return text;
  if (text.includes(links.unsubscribeUrl) || text.includes(links.manageUrl)) return text;
  return `${text}\n\n${filledIn(words.line, { url: links.unsubscribeUrl })}`;
}

/**
 * Adds the headers of RFC 2369, RFC 2919 and RFC 8058 to the caller's own. No responder answers mail of a list, so that it
 * needs no Auto-Submitted, which is for mail that no person wrote (RFC 3834). A caller's List-Unsubscribe replaces both of ours, if
 * it contains an address; a caller's List-Unsubscribe-Post alone changes nothing.
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

/** Headers of ours, and the caller's: of the same name, theirs. */
function withOwn(ours: [string, string][], given: Record<string, string>): Record<string, string> {
  const names = new Set(Object.keys(given).map((name) => name.toLowerCase()));
  const added = ours.filter(([name, value]) => value !== "" && !names.has(name.toLowerCase()));
  return { ...Object.fromEntries(added), ...given };
}

function isListUnsubscribe(name: string): boolean {
  return name.toLowerCase() === "list-unsubscribe";
}

const maxTagLength = 2_000;

/** Whether the body has a visible `<a href>` to one of the URLs. If in doubt, no: a second link does no harm. */
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

/** A frame that is read once for all recipients. */
interface Footed {
  isStable: boolean;
  /** The frame with its footer, in each language that was asked for. */
  frames: Map<FooterWords, string>;
}

const maxCacheBytes = 4_000_000;
const footed = new TextCache<Footed>((frame) => frame.length * 6, maxCacheBytes);

/** The frame gets the footer that the HTML gets, with marks for the recipient's URLs. */
function withFooterIn({ output, frame, values }: Framed, links: RecipientLinks, words: FooterWords): Framed {
  if (frame === null) return { output: withFooter(output, links, words), frame, values };
  const all = [...values];
  const markOf = (url: string) => markFor(url, all) ?? url;
  const marks = { unsubscribeUrl: markOf(links.unsubscribeUrl), manageUrl: markOf(links.manageUrl) };
  const known = footed.getOrMake(frame, () => ({ isStable: isStable(frame), frames: new Map() }));
  if (!known.isStable || all.length < values.length + 2)
    return { output: withFooter(output, links, words), frame: withFooter(frame, marks, words), values: all };
  // No value moves the place of the footer.
  const whole = known.frames.get(words) ?? withFooter(frame, marks, words);
  known.frames.set(words, whole);
  return { output: filledHtml(whole, all), frame: whole, values: all };
}

type FooterLinks = Pick<RecipientLinks, "unsubscribeUrl" | "manageUrl">;

/** Adds the footer before the end of the body, in HTML that every mail program shows alike. */
function withFooter(html: string, { unsubscribeUrl, manageUrl }: FooterLinks, words: FooterWords): string {
  const text = filledIn(words.text, {
    unsubscribe: `<a href="${unsubscribeUrl}" style="color:#5c666c">${words.unsubscribe}</a>`,
    manage: `<a href="${manageUrl}" style="color:#5c666c">${words.manage}</a>`,
  });
  const footer = `<div style="margin:32px 0 0;padding:16px 0 0;border-top:1px solid #d5dad7;font:13px/1.5 sans-serif;color:#5c666c;text-align:center">${text}</div>`;
  const visible = visibleOf(html);
  const end = lastIndex(visible, /<\/body\s*>/gi) ?? lastIndex(visible, /<\/html\s*>/gi) ?? html.length;
  return html.slice(0, end) + closerOf(html) + footer + html.slice(end);
}

/** Closes a comment or an element that the body left open and that would hide the footer. */
function closerOf(html: string): string {
  const open = [...html.matchAll(hidden)].at(-1);
  if (!open || /(-->|<\/[a-z]+\s*>)$/i.test(open[0])) return "";
  return open[1] === undefined ? "-->" : `</${open[1]}>`;
}

function lastIndex(text: string, pattern: RegExp): number | undefined {
  return [...text.matchAll(pattern)].at(-1)?.index;
}

/** Comments, and elements that readers do not see. One without an end reaches to the end of the body. */
const hidden =
  /<!--(?:[\s\S]*?-->|[\s\S]*$)|<(style|script|title|template|textarea|noscript|xmp)\b(?:[\s\S]*?<\/\1\s*>|[\s\S]*$)/gi;

/** Replaces hidden parts with spaces, so that the rest keeps its position. */
function visibleOf(html: string): string {
  return html.replace(hidden, (part) => " ".repeat(part.length));
}
