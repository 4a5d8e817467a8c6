import { hasMark } from "../templating/frame";

/** A link of an HTML mail that may be tracked. */
export interface LinkSlot {
  kind: "link";
  /** The start and end of the value of its `href`, including the quotes. */
  start: number;
  end: number;
  /** The value as it is written, without quotes. */
  raw: string;
  /** Whether the value has marks of a frame. */
  hasMark: boolean;
  /** The position of the link among those of its mail, from 1. */
  number: number;
}

/** The position of the pixel: before the end of the body, and before an element that swallows what follows. */
export interface PixelSlot {
  kind: "pixel";
  start: number;
  end: number;
}

export type Slot = LinkSlot | PixelSlot;

/**
 * Finds the parts of an HTML mail that tracking changes, in order. It reads HTML as browsers do (the tokenization of
 * the HTML standard), so that markup in a comment, in a style sheet or in an attribute does not count. Each step moves
 * forward, so the time is linear in the length.
 */
export function outlineOf(html: string, maxLinks: number): Slot[] {
  const links: LinkSlot[] = [];
  let bodyEnd: number | null = null;
  let htmlEnd: number | null = null;
  let number = 0;
  let at = html.indexOf("<");
  while (at >= 0) {
    const markup = markupAt(html, at);
    // The rest is inside an element that never ends.
    if (markup === null) break;
    if (markup.kind === "end tag" && markup.name === "body") bodyEnd = at;
    if (markup.kind === "end tag" && markup.name === "html") htmlEnd = at;
    if (markup.kind === "link") {
      number += 1;
      if (number <= maxLinks && markup.isTracked) {
        links.push({ kind: "link", number, hasMark: hasMark(markup.value.raw), ...markup.value });
      }
    }
    const next = markup.kind === "raw" ? endOfRaw(html, markup.name, markup.end) : html.indexOf("<", markup.end);
    if (next === null) break;
    at = next;
  }
  const pixelAt = bodyEnd ?? htmlEnd ?? (at < 0 ? html.length : at);
  const pixel: PixelSlot = { kind: "pixel", start: pixelAt, end: pixelAt };
  return [...links, pixel].sort((one, other) => one.start - other.start);
}

type Markup =
  | { kind: "other"; end: number }
  | { kind: "end tag" | "raw"; name: string; end: number }
  | { kind: "link"; value: Pick<LinkSlot, "start" | "end" | "raw">; isTracked: boolean; end: number };

/** Elements whose content is text to a browser. After `plaintext`, everything is text. */
export const rawElements = new Set([
  ...["style", "script", "title", "textarea", "xmp", "iframe", "noembed", "noframes", "plaintext"],
]);
const linkElements = new Set(["a", "area"]);

// HTML knows five kinds of white space. A quoted value that does not end takes the rest.
export const tagName = /<(\/?)([a-z][^\t\n\f\r />]*)/iy;
export const attribute =
  /[\t\n\f\r /]*([^\t\n\f\r />][^\t\n\f\r />=]*)(?:[\t\n\f\r ]*=[\t\n\f\r ]*(?:"([^"]*)(?:"|$)|'([^']*)(?:'|$)|([^\t\n\f\r >"'][^\t\n\f\r >]*|(?=>))))?/y;
export const tagEnd = /[\t\n\f\r /]*>/y;

/** The markup that begins with this `<`; null when it does not end. */
function markupAt(html: string, at: number): Markup | null {
  if (html.startsWith("<!--", at)) return endOf(html.indexOf("-->", at + 2), 3);
  const tag = matchAt(tagName, html, at);
  // A `<` before anything but a letter is text; `<!`, `<?` and `</` begin a comment that ends with `>`.
  if (tag === null)
    return /[!?/]/.test(html.charAt(at + 1)) ? endOf(html.indexOf(">", at), 1) : { kind: "other", end: at + 1 };
  const [whole, slash, writtenName = ""] = tag;
  const name = writtenName.toLowerCase();
  const isLink = !slash && linkElements.has(name);
  const { href, isMarked, end } = attributesFrom(html, at + whole.length, isLink);
  if (end === null) return null;
  if (slash) return { kind: "end tag", name, end };
  if (rawElements.has(name)) return { kind: "raw", name, end };
  return href === null ? { kind: "other", end } : { kind: "link", value: href, isTracked: !isMarked, end };
}

function endOf(last: number, length: number): Markup | null {
  return last < 0 ? null : { kind: "other", end: last + length };
}

interface Attributes {
  href: Pick<LinkSlot, "start" | "end" | "raw"> | null;
  /** The tag has `data-no-track`. */
  isMarked: boolean;
  /** Null when the tag does not end. */
  end: number | null;
}

function attributesFrom(html: string, from: number, isLink: boolean): Attributes {
  const read: Attributes = { href: null, isMarked: false, end: null };
  let hasHref = false;
  for (let at = from; ; ) {
    const end = matchAt(tagEnd, html, at);
    if (end) return { ...read, end: at + end[0].length };
    const found = matchAt(attribute, html, at);
    if (found === null) return read;
    at += found[0].length;
    if (!isLink) continue;
    const name = found[1]?.toLowerCase();
    if (name === "data-no-track") read.isMarked = true;
    // When an attribute is repeated, the first one counts.
    if (name !== "href" || hasHref) continue;
    hasHref = true;
    const [, , inDouble, inSingle, bare] = found;
    const raw = inDouble ?? inSingle ?? bare;
    if (raw === undefined) continue;
    const written = bare === undefined ? raw.length + 2 : raw.length;
    read.href = { start: at - written, end: at, raw };
  }
}

export function endOfRaw(html: string, name: string, from: number): number | null {
  if (name === "plaintext") return null;
  const endTag = new RegExp(`</${name}(?=[\\t\\n\\f\\r />])`, "gi");
  endTag.lastIndex = from;
  return endTag.exec(html)?.index ?? null;
}

export function matchAt(sticky: RegExp, text: string, at: number): RegExpExecArray | null {
  sticky.lastIndex = at;
  return sticky.exec(text);
}
