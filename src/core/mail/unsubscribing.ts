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
    headers: { ...unsubscribeHeaders(links, feedbackId, headers), ...headers },
  };
}

/** A text part that was cut short, or left out links, must still say where to unsubscribe. */
export function withUnsubscribeLine(type: EmailType, text: string, links: RecipientLinks | null): string {
  if (type !== "MARKETING" || links === null) return text;
  if (text.includes(links.unsubscribeUrl) || text.includes(links.manageUrl)) return text;
  return `${text}\n\nUnsubscribe: ${links.unsubscribeUrl}`;
}

/** RFC 2369 and RFC 8058. A caller's own List-Unsubscribe replaces ours, and any of the others theirs. */
function unsubscribeHeaders(
  { unsubscribeUrl }: RecipientLinks,
  feedbackId: string,
  given: Record<string, string>,
): Record<string, string> {
  const names = new Set(Object.keys(given).map((name) => name.toLowerCase()));
  const ours: [string, string][] = [
    ["List-Unsubscribe", `<${unsubscribeUrl}>`],
    ["List-Unsubscribe-Post", "List-Unsubscribe=One-Click"],
    ["Precedence", "bulk"],
    ["Feedback-ID", feedbackId],
  ];
  if (names.has("list-unsubscribe")) names.add("list-unsubscribe-post");
  return Object.fromEntries(ours.filter(([name]) => !names.has(name.toLowerCase())));
}

const longestTag = 2_000;

/** Is there an `<a href>` to one of the addresses that a reader can see? In doubt not: a second link harms nobody. */
function linksTo(html: string, urls: string[]): boolean {
  const visible = withoutComments(html);
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
  const visible = withoutComments(html);
  const end = lastIndex(visible, /<\/body\s*>/gi) ?? lastIndex(visible, /<\/html\s*>/gi) ?? html.length;
  return html.slice(0, end) + footer + html.slice(end);
}

function lastIndex(text: string, pattern: RegExp): number | undefined {
  return [...text.matchAll(pattern)].at(-1)?.index;
}

/** Comments become blanks, so that what is left stays in its place. One without an end goes on to the end. */
function withoutComments(html: string): string {
  let text = "";
  let from = 0;
  for (let start = html.indexOf("<!--"); start >= 0; start = html.indexOf("<!--", from)) {
    const close = html.indexOf("-->", start + 4);
    const end = close < 0 ? html.length : close + 3;
    text += html.slice(from, start) + " ".repeat(end - start);
    from = end;
  }
  return text + html.slice(from);
}
