import { decodeHTMLAttribute } from "entities/decode";
import { eachTag, type Tag } from "../html/tags";

/** Likely mistakes in the HTML of an email. */
export const flaws = ["empty_link", "link_not_absolute", "image_without_alt"] as const;
export type Flaw = (typeof flaws)[number];

/** At most this many examples of one flaw are reported. */
export const maxFlawExamples = 5;

const maxTagLength = 200;
const maxTextLength = 60;

const flawedElements = new Set(["a", "area", "img"]);

/** Returns the flaws of a rendered mail, each with the first links or images that have it. */
export function flawsOf(html: string): Map<Flaw, string[]> {
  const found = new Map<Flaw, string[]>();
  eachTag(html, flawedElements, ({ name, isEnd, start, end, attributes }) => {
    if (isEnd || !flawedElements.has(name)) return;
    const isImage = name === "img";
    const flaw = isImage ? imageFlaw(attributes) : linkFlaw(attributes);
    if (flaw !== null) noteFlaw(found, flaw, exampleAt(html, start, end, isImage));
  });
  return found;
}

function noteFlaw(found: Map<Flaw, string[]>, flaw: Flaw, example: string): void {
  const examples = found.get(flaw) ?? [];
  if (examples.length < maxFlawExamples && !examples.includes(example)) examples.push(example);
  found.set(flaw, examples);
}

/** Returns a tag as it is written; for a link, with the text that follows. */
function exampleAt(html: string, at: number, end: number, isImage: boolean): string {
  const tag = html.slice(at, Math.min(end, at + maxTagLength));
  if (isImage || tag.length < end - at) return tag.toWellFormed();
  const next = html.indexOf("<", end);
  return (tag + html.slice(end, Math.min(next < 0 ? html.length : next, end + maxTextLength))).toWellFormed();
}

/**
 * Shortens an example to the part at its beginning that also occurs in the template's body. A campaign's report
 * outlives the data of its recipients, so it must not contain their values.
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

/** An empty `alt` is no flaw, because it marks the image as decoration. */
function imageFlaw(attributes: Tag["attributes"]): Flaw | null {
  return attributes.has("alt") ? null : "image_without_alt";
}

/** Without `href`, an `a` is an anchor and not a link. A link to an anchor within the mail needs no absolute URL. */
function linkFlaw(attributes: Tag["attributes"]): Flaw | null {
  if (!attributes.has("href")) return null;
  const raw = attributes.get("href")?.raw ?? "";
  const url = (raw.includes("&") ? decodeHTMLAttribute(raw) : raw).trim();
  if (url === "" || url === "#") return "empty_link";
  if (url.startsWith("#")) return null;
  return URL.canParse(url) ? null : "link_not_absolute";
}
