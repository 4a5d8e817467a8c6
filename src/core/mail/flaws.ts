import { decodeHTMLAttribute } from "entities/decode";
import { attribute, endOfRaw, matchAt, rawElements, tagEnd, tagName } from "../tracking/outline";

/** Likely mistakes in the HTML of a mail. */
export const flaws = ["empty_link", "link_not_absolute", "image_without_alt"] as const;
export type Flaw = (typeof flaws)[number];

/** At most this many examples of one flaw are reported. */
export const maxFlawExamples = 5;

const maxTagLength = 200;
const maxTextLength = 60;

/** The flaws of a rendered mail, with the first links or images that have them. Markup in comments and style sheets does not count. */
export function flawsOf(html: string): Map<Flaw, string[]> {
  const found = new Map<Flaw, string[]>();
  for (let at = html.indexOf("<"); at >= 0; ) {
    const end = html.startsWith("<!--", at) ? endOfComment(html, at) : endOfTag(html, at, found);
    // The rest is inside of something that never ends.
    if (end === null) break;
    at = html.indexOf("<", end);
  }
  return found;
}

function endOfComment(html: string, at: number): number | null {
  const end = html.indexOf("-->", at + 2);
  return end < 0 ? null : end + 3;
}

/** The place behind what begins with this `<`, whose flaws are noted. */
function endOfTag(html: string, at: number, found: Map<Flaw, string[]>): number | null {
  const tag = matchAt(tagName, html, at);
  if (tag === null) return at + 1;
  const [whole, slash, writtenName = ""] = tag;
  const name = writtenName.toLowerCase();
  const isWanted = slash === "" && (name === "a" || name === "area" || name === "img");
  const plain = isWanted ? null : matchAt(plainRest, html, at + whole.length);
  const { attributes, end } = plain
    ? { attributes: nothing, end: at + whole.length + plain[0].length }
    : attributesFrom(html, at + whole.length, isWanted);
  if (end === null) return null;
  if (isWanted) {
    const flaw = name === "img" ? imageFlaw(attributes) : linkFlaw(attributes.get("href"));
    if (flaw !== null) noteFlaw(found, flaw, exampleAt(html, at, end, name === "img"));
  }
  return slash === "" && rawElements.has(name) ? endOfRaw(html, name, end) : end;
}

function noteFlaw(found: Map<Flaw, string[]>, flaw: Flaw, example: string): void {
  const examples = found.get(flaw) ?? [];
  if (examples.length < maxFlawExamples && !examples.includes(example)) examples.push(example);
  found.set(flaw, examples);
}

/** The tag as it is written, and of a link the text behind it. */
function exampleAt(html: string, at: number, end: number, isImage: boolean): string {
  const tag = html.slice(at, Math.min(end, at + maxTagLength));
  if (isImage || tag.length < end - at) return tag.toWellFormed();
  const next = html.indexOf("<", end);
  return (tag + html.slice(end, Math.min(next < 0 ? html.length : next, end + maxTextLength))).toWellFormed();
}

/**
 * An example as far as it is in the body as it was written: what comes of a recipient's values is cut off, because what is
 * told of a campaign outlives its recipients.
 */
export function asWritten(example: string, body: string): string {
  if (body.includes(example)) return example;
  let [known, unknown] = [0, example.length];
  while (unknown - known > 1) {
    const middle = (known + unknown) >> 1;
    if (body.includes(example.slice(0, middle))) known = middle;
    else unknown = middle;
  }
  return `${example.slice(0, known).toWellFormed()}…`;
}

/** The rest of a tag whose attributes nobody asks for, where quotes stand around values alone. Most tags end so. */
const plainRest = /[^"'<>=]*(?:=(?:[\t\n\f\r ]*"[^"]*"|[\t\n\f\r ]*'[^']*')?[^"'<>=]*)*>/y;

const nothing: ReadonlyMap<string, string> = new Map();

function attributesFrom(html: string, from: number, isWanted: boolean) {
  const attributes = new Map<string, string>();
  for (let at = from; ; ) {
    const end = matchAt(tagEnd, html, at);
    if (end) return { attributes, end: at + end[0].length };
    const read = matchAt(attribute, html, at);
    if (read === null) return { attributes, end: null };
    at += read[0].length;
    if (!isWanted) continue;
    const [, name = "", inDouble, inSingle, bare] = read;
    // The first of several attributes with the same name counts.
    if (!attributes.has(name.toLowerCase())) attributes.set(name.toLowerCase(), inDouble ?? inSingle ?? bare ?? "");
  }
}

/** An empty `alt` says that the image is decoration. */
function imageFlaw(attributes: ReadonlyMap<string, string>): Flaw | null {
  return attributes.has("alt") ? null : "image_without_alt";
}

/** Without `href`, an `a` is a place and no link. A link to a place within the mail is none to the web. */
function linkFlaw(raw: string | undefined): Flaw | null {
  if (raw === undefined) return null;
  const url = (raw.includes("&") ? decodeHTMLAttribute(raw) : raw).trim();
  if (url === "" || url === "#") return "empty_link";
  if (url.startsWith("#")) return null;
  return URL.canParse(url) ? null : "link_not_absolute";
}
