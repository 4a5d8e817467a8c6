import { decodeHTMLAttribute } from "entities/decode";
import { attribute, endOfRaw, matchAt, rawElements, tagEnd, tagName } from "../tracking/outline";

/** What is likely a mistake in the HTML of a mail. */
export const flaws = ["empty_link", "link_not_absolute", "image_without_alt"] as const;
export type Flaw = (typeof flaws)[number];

/** The flaws of a rendered mail, each once. Markup in comments and style sheets does not count. */
export function flawsOf(html: string): Set<Flaw> {
  const found = new Set<Flaw>();
  for (let at = html.indexOf("<"); at >= 0 && found.size < flaws.length; ) {
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
function endOfTag(html: string, at: number, found: Set<Flaw>): number | null {
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
    if (flaw !== null) found.add(flaw);
  }
  return slash === "" && rawElements.has(name) ? endOfRaw(html, name, end) : end;
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
    // Of several of the same name, the first counts.
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
