import { filledIn, type Words } from "../languages/language";
import { TextCache } from "../templating/cache";
import { type Framed, filledHtml, hasMark, isStable, markFor } from "../templating/frame";
import { escapedHtml } from "../templating/html";
import type { BodyKind } from "./document";
import { type Imprint, imprintLines } from "./imprint";

/**
 * The texts of the footer in the recipient's language. None of them contains a character that needs escaping in HTML.
 */
type FooterWords = Words["footer"];

/** The content of a footer, in addition to the recipient's links. */
export interface Footer {
  words: FooterWords;
  imprint: Imprint;
}

interface FooterLinks {
  unsubscribeUrl: string;
  manageUrl: string;
}

/** A frame (see `Framed`) with its footers, which are made once for all recipients. */
interface Footed {
  isStable: boolean;
  /** The frame with its footer, for each language and number of imprint lines in use. */
  frames: Map<string, string>;
}

const maxCacheBytes = 4_000_000;
const footed = new TextCache<Footed>((frame) => frame.length * 6, maxCacheBytes);

/**
 * Adds a footer to the HTML, and the same footer to its frame. In the frame, marks stand for the recipient's URLs and
 * for the sender's lines, because other projects may share the frame.
 */
export function withFooterIn(
  { output, frame, values }: Framed,
  kind: BodyKind,
  links: FooterLinks,
  { words, imprint }: Footer,
): Framed {
  const lines = imprintLines(imprint).map(escapedHtml);
  const own: Said = { ...links, lines, words };
  if (frame === null || lines.some(hasMark)) return { output: withFooter(output, kind, own), frame: null, values };
  const all = [...values];
  const markOf = (value: string) => markFor(value, all) ?? value;
  const marked: Said = {
    unsubscribeUrl: markOf(links.unsubscribeUrl),
    manageUrl: markOf(links.manageUrl),
    lines: lines.map(markOf),
    words,
  };
  const known = footed.getOrMake(frame, () => ({ isStable: isStable(frame), frames: new Map() }));
  if (!known.isStable || all.length < values.length + 2 + lines.length)
    return { output: withFooter(output, kind, own), frame: withFooter(frame, kind, marked), values: all };
  // Values are not part of the key, because the position of the footer does not depend on them.
  const key = `${lines.length} ${words.text}`;
  const whole = known.frames.get(key) ?? withFooter(frame, kind, marked);
  known.frames.set(key, whole);
  return { output: filledHtml(whole, all), frame: whole, values: all };
}

/** The texts of a footer, escaped for HTML. */
interface Said extends FooterLinks {
  lines: string[];
  words: FooterWords;
}

/** Adds the footer before the end of the body, in HTML that all mail programs display alike. */
function withFooter(html: string, kind: BodyKind, { unsubscribeUrl, manageUrl, lines, words }: Said): string {
  const text = filledIn(words.text, {
    unsubscribe: `<a href="${unsubscribeUrl}" style="color:inherit">${words.unsubscribe}</a>`,
    manage: `<a href="${manageUrl}" style="color:inherit">${words.manage}</a>`,
  });
  const imprint = lines.length === 0 ? "" : `<br><br>${lines.join("<br>")}`;
  const footer = `${openingOf(html, kind)}${text}${imprint}</div>`;
  const visible = visibleOf(html);
  const end = lastIndex(visible, /<\/body\s*>/gi) ?? lastIndex(visible, /<\/html\s*>/gi) ?? html.length;
  return html.slice(0, end) + closerOf(html) + footer + html.slice(end);
}

const line = "font:14px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,Arial,sans-serif;text-align:center";

/**
 * The footer in our own layout, where text colours follow the light or dark background. A paler text is readable on
 * both.
 */
const inFrame = `<div style="margin:32px 0 0;padding:16px 0 0;border-top:1px solid #999;${line};opacity:.8">`;

/** The footer in a document that is not our own. It has a background of its own, so that it is readable anywhere. */
const onGround = `<div class="petrel-footer" style="max-width:600px;margin:32px auto 0;padding:16px;background:#fff;color:#4d565b;${line}">`;
const darkGround =
  "<style>@media(prefers-color-scheme:dark){.petrel-footer{background:#1c2023!important;color:#c9d1d6!important}}</style>";

/**
 * Returns the opening tag of the footer. Dark colours are only for a document that mentions colour schemes: mail
 * programs display every other document light, even in dark mode.
 */
function openingOf(html: string, kind: BodyKind): string {
  if (kind === "plain" || kind === "coloured") return inFrame;
  return /color-scheme/i.test(html) ? darkGround + onGround : onGround;
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

/** Comments, and elements that are not displayed. An unclosed one extends to the end of the body. */
const hidden =
  /<!--(?:[\s\S]*?-->|[\s\S]*$)|<(style|script|title|template|textarea|noscript|xmp)\b(?:[\s\S]*?<\/\1\s*>|[\s\S]*$)/gi;

/** Replaces hidden parts with spaces, so that the rest keeps its position. */
export function visibleOf(html: string): string {
  return html.replace(hidden, (part) => " ".repeat(part.length));
}
