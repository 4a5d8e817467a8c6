import { filledIn, type Words } from "../languages/language";
import { TextCache } from "../templating/cache";
import { type Framed, filledHtml, isStable, markFor } from "../templating/frame";

/** The texts of the footer in the language of the recipient. None of them has a character with a meaning in HTML. */
export type FooterWords = Words["footer"];

interface FooterLinks {
  unsubscribeUrl: string;
  manageUrl: string;
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
export function withFooterIn({ output, frame, values }: Framed, links: FooterLinks, words: FooterWords): Framed {
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
export function visibleOf(html: string): string {
  return html.replace(hidden, (part) => " ".repeat(part.length));
}
