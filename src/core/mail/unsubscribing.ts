import type { EmailType } from "./status";

/** The recipient's own pages. */
export interface RecipientLinks {
  unsubscribeUrl: string;
  subscribeUrl: string;
  manageUrl: string;
}

interface Rendered {
  type: EmailType;
  html: string;
  /** The caller's own. */
  headers: Record<string, string>;
  links: RecipientLinks | null;
  /** Whose mail it is, for the statistics of mailbox providers. */
  feedbackId: string;
}

/**
 * What the type of a mail asks for. MARKETING gets a footer unless its body links to the recipient's pages itself, and
 * the headers by which mailboxes show an unsubscribe button; HEADLESS gets the headers if its body links to them;
 * TRANSACTIONAL is left as it is.
 */
export function withUnsubscribing({ type, html, headers, links, feedbackId }: Rendered): {
  html: string;
  headers: Record<string, string>;
} {
  if (type === "TRANSACTIONAL" || links === null) return { html, headers };
  const isLinked = linksTo(html, [links.unsubscribeUrl, links.manageUrl]);
  if (type === "HEADLESS" && !isLinked) return { html, headers };
  return {
    html: isLinked ? html : withFooter(html, links),
    headers: unsubscribeHeaders(links, feedbackId, headers),
  };
}

/** A text part that was cut short, or left out links, must still say where to unsubscribe. */
export function withUnsubscribeLine(type: EmailType, text: string, links: RecipientLinks | null): string {
  if (type !== "MARKETING" || links === null) return text;
  if (text.includes(links.unsubscribeUrl) || text.includes(links.manageUrl)) return text;
  return `${text}\n\nUnsubscribe: ${links.unsubscribeUrl}`;
}

/**
 * RFC 2369 and RFC 8058, with the caller's own headers. A List-Unsubscribe of theirs replaces both of ours, if it names
 * an address at all; a List-Unsubscribe-Post of theirs says nothing about ours.
 */
function unsubscribeHeaders(
  { unsubscribeUrl }: RecipientLinks,
  feedbackId: string,
  given: Record<string, string>,
): Record<string, string> {
  const hasOwn = Object.entries(given).some(([name, value]) => isListUnsubscribe(name) && /<[^<>\s]+>/.test(value));
  const theirs = Object.entries(given).filter(([name]) => hasOwn || !/^list-unsubscribe(-post)?$/i.test(name));
  const names = new Set(theirs.map(([name]) => name.toLowerCase()));
  const ours: [string, string][] = [
    ["List-Unsubscribe", `<${unsubscribeUrl}>`],
    ["List-Unsubscribe-Post", "List-Unsubscribe=One-Click"],
    ["Precedence", "bulk"],
    ["Feedback-ID", feedbackId],
  ];
  if (hasOwn) names.add("list-unsubscribe-post");
  return Object.fromEntries([...ours.filter(([name]) => !names.has(name.toLowerCase())), ...theirs]);
}

function isListUnsubscribe(name: string): boolean {
  return name.toLowerCase() === "list-unsubscribe";
}

const longestTag = 2_000;

/** Is there an `<a href>` to one of the addresses that a reader can see? In doubt not: a second link harms nobody. */
function linksTo(html: string, urls: string[]): boolean {
  const visible = visibleOf(html);
  return urls.some((url) => {
    for (let at = visible.indexOf(url); at >= 0; at = visible.indexOf(url, at + url.length)) {
      const before = visible.slice(Math.max(0, at - longestTag), at);
      const tag = before.slice(before.lastIndexOf("<"));
      if (/^<a\s/i.test(tag) && !tag.includes(">") && /\shref\s*=\s*["']?$/i.test(tag)) return true;
    }
    return false;
  });
}

/** Before the end of the body, in HTML that every mail program shows alike. */
function withFooter(html: string, { unsubscribeUrl, manageUrl }: RecipientLinks): string {
  const footer = `<div style="margin:32px 0 0;padding:16px 0 0;border-top:1px solid #d5dad7;font:13px/1.5 sans-serif;color:#5c666c;text-align:center">You get this email because you are on our list. <a href="${unsubscribeUrl}" style="color:#5c666c">Unsubscribe</a> or <a href="${manageUrl}" style="color:#5c666c">manage your preferences</a>.</div>`;
  const visible = visibleOf(html);
  const end = lastIndex(visible, /<\/body\s*>/gi) ?? lastIndex(visible, /<\/html\s*>/gi) ?? html.length;
  return html.slice(0, end) + closerOf(html) + footer + html.slice(end);
}

/** What ends a comment or an element that would swallow the footer, because the body left it open. */
function closerOf(html: string): string {
  const open = [...html.matchAll(hidden)].at(-1);
  if (!open || /(-->|<\/[a-z]+\s*>)$/i.test(open[0])) return "";
  return open[1] === undefined ? "-->" : `</${open[1]}>`;
}

function lastIndex(text: string, pattern: RegExp): number | undefined {
  return [...text.matchAll(pattern)].at(-1)?.index;
}

/** Comments, and elements whose content no reader sees. One without an end goes on to the end. */
const hidden =
  /<!--(?:[\s\S]*?-->|[\s\S]*$)|<(style|script|title|template|textarea|noscript|xmp)\b(?:[\s\S]*?<\/\1\s*>|[\s\S]*$)/gi;

/** What is hidden becomes blanks, so that what is left stays in its place. */
function visibleOf(html: string): string {
  return html.replace(hidden, (part) => " ".repeat(part.length));
}
