import { compile, type DomNode, type FormatCallback } from "html-to-text";
import { hasMark } from "../templating/frame";

/**
 * The parser's time grows with the number of tags times the number of open ones: 100,000 nested `<div>`s take seconds.
 * Real mail stays far below these limits. The text part of any other mail ends where a limit is reached.
 */
const MAX_TAGS = 30_000;
const MAX_OPEN_TAGS = 1_000;
/** The deepest nesting of elements that is converted, because the converter is recursive. Deeper text is left out. */
const MAX_DEPTH = 100;

/** The maximum number of levels of lists that are indented. Each level indents all of its lines once more. */
const MAX_LIST_DEPTH = 4;

const TAG = /<(\/?)([a-z][a-z0-9]*)/gi;
const WITHOUT_END_TAG = new Set(["area", "base", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"]);

const HEADINGS = ["h1", "h2", "h3", "h4", "h5", "h6"];
const PARAGRAPH = { leadingLineBreaks: 2, trailingLineBreaks: 2 };
const LINE = { leadingLineBreaks: 1, trailingLineBreaks: 1 };

let convert: ((html: string) => string) | undefined;

/** Called on first use, because compiling the selectors takes time and most requests make no plain text. */
function makeConverter(): (html: string) => string {
  return compile({
    wordwrap: false,
    limits: { maxDepth: MAX_DEPTH, ellipsis: "" },
    formatters: { link: formatLink, image: formatImage, cell: formatCell, list: formatList },
    selectors: [
      { selector: "a", format: "link" },
      { selector: "img", format: "image" },
      ...HEADINGS.map((selector) => ({ selector, options: { ...PARAGRAPH, uppercase: false } })),
      { selector: "ul", format: "list" },
      { selector: "ol", format: "list" },
      { selector: "li", format: "block", options: LINE },
      // Quotations get no `>` marks, because these would add a character to every line for every level.
      { selector: "blockquote", format: "block", options: PARAGRAPH },
      { selector: "table", format: "block", options: PARAGRAPH },
      { selector: "tr", format: "block", options: LINE },
      { selector: "td", format: "cell" },
      { selector: "th", format: "cell" },
      { selector: "title", format: "skip" },
    ],
  });
}

/** Returns the plain text of an HTML mail: links as `text (url)`, images as their alt text, a table row on one line. */
export function plainText(html: string): string {
  convert ??= makeConverter();
  return convert(withinLimits(html));
}

/** A link as it was read: its text without spaces. */
export interface Link {
  text: string;
  url: string;
}

/**
 * Returns the plain text of the frame of an HTML mail (see `Framed`), and the links whose text or URL contains a mark.
 */
export function plainTextOfFrame(frame: string): { text: string; links: Link[] } {
  markedLinks = [];
  return { text: plainText(frame), links: markedLinks };
}

/**
 * A module variable, because the converter passes nothing to its formatters. It runs synchronously, so no other call
 * comes in between.
 */
let markedLinks: Link[] = [];

function withinLimits(html: string): string {
  let tags = 0;
  let open = 0;
  for (const tag of html.matchAll(TAG)) {
    const [, slash, name = ""] = tag;
    tags += 1;
    if (slash) open = Math.max(0, open - 1);
    else if (!WITHOUT_END_TAG.has(name.toLowerCase())) open += 1;
    if (tags > MAX_TAGS || open > MAX_OPEN_TAGS) return html.slice(0, tag.index);
  }
  return html;
}

/**
 * Only the outermost of nested links becomes a link, as in a browser. The link's text is collected while it is written.
 */
function formatLink(...[link, walk, builder]: Parameters<FormatCallback>): void {
  const url = String(link.attribs?.href ?? "").replace(/^mailto:/, "");
  if (!url || url.startsWith("#") || levelsOf(link, "a") > 1) {
    walk(link.children, builder);
    return;
  }
  let text = "";
  builder.pushWordTransform((word) => {
    text += word;
    return word;
  });
  walk(link.children, builder);
  builder.popWordTransform();
  if (hasMark(text + url)) markedLinks.push({ text, url });
  if (text !== url) builder.addInline(text ? ` (${url})` : url, { noWordTransform: true });
}

/** Writes the alt text as normal text, so that a link around the image uses it. */
function formatImage(...[image, , builder]: Parameters<FormatCallback>): void {
  builder.addInline(image.attribs?.alt ?? "");
}

function formatCell(...[cell, walk, builder]: Parameters<FormatCallback>): void {
  walk(cell.children, builder);
  builder.addInline(" ");
}

/**
 * Numbers the items from one. The attribute `start` is ignored: in Roman numerals, it could ask for numbers of a
 * million characters.
 */
function formatList(...[list, walk, builder]: Parameters<FormatCallback>): void {
  const depth = levelsOf(list, "ol", "ul");
  if (depth > MAX_LIST_DEPTH) {
    walk(list.children, builder);
    return;
  }
  const items = list.children.filter((child) => child.name === "li");
  const prefixes = items.map((_, index) => (list.name === "ol" ? `${index + 1}. ` : "- "));
  const lineBreaks = depth > 1 ? 1 : 2;
  const maxPrefixLength = prefixes.at(-1)?.length ?? 0;
  builder.openList({ interRowLineBreaks: 1, leadingLineBreaks: lineBreaks, maxPrefixLength, prefixAlign: "left" });
  for (const [index, item] of items.entries()) {
    builder.openListItem({ prefix: prefixes[index] });
    walk(item.children, builder);
    builder.closeListItem();
  }
  builder.closeList({ trailingLineBreaks: lineBreaks });
}

/** Counts the elements with these names that contain a node. The node itself counts, too. */
function levelsOf(node: DomNode, ...names: string[]): number {
  let levels = 0;
  for (let outer: DomNode | undefined = node; outer; outer = outer.parent) {
    if (outer.name !== undefined && names.includes(outer.name)) levels += 1;
  }
  return levels;
}
