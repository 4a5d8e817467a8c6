import { TextCache } from "../templating/cache";
import { type Framed, filled, hasMark } from "../templating/frame";
import { type Link, plainText, plainTextOfFrame } from "./plain-text";

interface Version {
  text: string;
  links: Link[];
}

const maxCacheBytes = 4_000_000;
const versions = new TextCache<Version | null>((frame) => frame.length * 4, maxCacheBytes);

/**
 * The plain text of a rendered HTML mail. The text of its frame is made once, and the values are put in there, which
 * gives the same wherever a value cannot change how the HTML around it is read. Everywhere else, and for a frame that is
 * new, the text is made from the HTML.
 */
export function textVersion({ output, frame, values }: Framed): string {
  if (frame === null) return plainText(output);
  const version = versions.getOrMake(frame, () => (isStable(frame) ? plainTextOfFrame(frame) : null));
  if (version === null || version.links.some((link) => dependsOnValues(link, values))) return plainText(output);
  return filled(version.text, values);
}

/** The text of a link is left out when it is the URL, and some URLs are not shown. */
function dependsOnValues({ text, url }: Link, values: string[]): boolean {
  const whole = filled(url, values);
  return whole.startsWith("#") || whole.startsWith("mailto:") || whole === filled(text, values).replaceAll(" ", "");
}

const attribute = String.raw`\s+[^\s"'<>/=\ue000]+(?:\s*=\s*(?:"[^"<]*"|'[^'<]*'|[^\s"'<>=\ue000]+))?`;
const rawElement = "title|style|script";
// What a reader of HTML takes as text, as more markup, or not at all, depending on the reader.
const otherElement = "textarea|xmp|iframe|noembed|noframes|noscript|plaintext|svg|math|template";
/**
 * A piece of HTML that everybody reads alike; each `<` begins one. Marks are in texts, in quoted values of attributes, and
 * in raw elements.
 */
const piece = new RegExp(
  [
    "[^<]+",
    String.raw`<(${rawElement})(?:${attribute})*\s*>(?:[^<]*|(?:[^<\ue000]|<(?!\/\1))*)<\/\1\s*>`,
    String.raw`<\/?(?!(?:${rawElement}|${otherElement})\b)[a-z][a-z0-9:-]*(?:${attribute})*\s*\/?>`,
    String.raw`<!--(?!-?>)(?:(?!--!?>)[^\ue000])*-->`,
    String.raw`<!doctype\b[^<>\ue000]*>`,
  ].join("|"),
  "iy",
);

/** Whether plain words in the place of any mark leave all the rest as it is. */
function isStable(frame: string): boolean {
  if (!hasMark(frame)) return true;
  // `&am` and a value `p;` would be one character.
  if (/&[#\w]*\ue000/.test(frame)) return false;
  piece.lastIndex = 0;
  while (piece.lastIndex < frame.length) if (!piece.test(frame)) return false;
  return true;
}
