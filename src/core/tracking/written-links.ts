import { decodeHTMLAttribute } from "entities/decode";
import { TextCache } from "../templating/cache";
import { cleanUrl, webUrlOf } from "./destination";
import { outlineOf } from "./outline";
import { maxLinks } from "./token";

/** The distinct links in the content of an email, before values are filled in. */
export interface WrittenLinks {
  urls: string[];
  /**
   * Returns the number, from 1, of the written link that became this URL; 0 when there is none. If several match, the
   * one with the most literal text wins.
   */
  numberOf(url: string): number;
}

const maxCacheBytes = 8_000_000;
const known = new TextCache<WrittenLinks>((body) => body.length * 4, maxCacheBytes);

/** Reads the links of a body, once for all its recipients. */
export function writtenLinks(body: string): WrittenLinks {
  return known.getOrMake(body, () => readLinks(body));
}

interface LinkPattern {
  url: string;
  /** The literal texts around the URL's values, in order. A single text is the whole URL. */
  texts: string[];
}

const maxShownLength = 2_000;
const ownVariable = /^\{\{-?\s*(?:unsubscribeUrl|subscribeUrl|manageUrl|confirmUrl)\b/;

function readLinks(body: string): WrittenLinks {
  const { html, liquid } = withoutLiquid(body);
  const written = new Map<string, LinkPattern>();
  for (const slot of outlineOf(html, maxLinks)) {
    if (slot.kind === "pixel") continue;
    const link = linkOf(slot.raw, liquid);
    if (link !== null && !written.has(link.url)) written.set(link.url, link);
  }
  const urls = [...written.keys()];
  const numbers = new Map(urls.map((url, index) => [url, index + 1]));
  const patterns = [...written.values()]
    .filter(({ texts }) => texts.length > 1)
    .toSorted((one, other) => other.texts.join("").length - one.texts.join("").length);
  return {
    urls: urls.map((url) => url.slice(0, maxShownLength).toWellFormed()),
    numberOf(url) {
      const same = written.get(url)?.texts.length === 1 ? url : patterns.find((one) => isMade(one, url))?.url;
      return same === undefined ? 0 : (numbers.get(same) ?? 0);
    },
  };
}

/** Returns the pattern of a link. Null when it is not a web link, and for the recipient's own pages. */
function linkOf(raw: string, liquid: string[]): LinkPattern | null {
  if (!mark.test(raw)) {
    const url = webUrlOf(raw);
    return url === null ? null : { url, texts: [url] };
  }
  const marked = cleanUrl(decodeHTMLAttribute(raw));
  const url = marked.replace(marks, (_, index: string) => liquid[Number(index)] ?? "");
  if (!/^https?:\/\/|^\{[{%]/i.test(url) || ownVariable.test(url)) return null;
  const isTag = (index: string | undefined) => liquid[Number(index)]?.startsWith("{%") ?? false;
  const pieces = marked.split(marks);
  const texts = pieces.filter((_, index) => index % 2 === 0);
  const tags = texts.slice(1).flatMap((_, index) => (isTag(pieces[2 * index + 1]) ? [index] : []));
  const [first, last] = [tags[0], tags.at(-1)];
  // The texts between Liquid tags may be skipped or repeated, so they are left out.
  return { url, texts: first === undefined || last === undefined ? texts : texts.toSpliced(first + 1, last - first) };
}

/** Whether the URL contains the written texts in order, with anything between them. */
function isMade({ texts }: LinkPattern, url: string): boolean {
  const [first = "", ...rest] = texts;
  const last = rest.pop() ?? "";
  if (url.length < first.length + last.length || !url.startsWith(first) || !url.endsWith(last)) return false;
  let at = first.length;
  for (const text of rest) {
    at = url.indexOf(text, at);
    if (at < 0 || at + text.length > url.length - last.length) return false;
    at += text.length;
  }
  return true;
}

const mark = /\ue000\d+\ue001/;
const marks = /\ue000(\d+)\ue001/g;
const comment = /^\{%-?\s*comment\b/;

/** Replaces each piece of Liquid in the HTML with a mark, because quotes and brackets in Liquid are not HTML. */
function withoutLiquid(body: string): { html: string; liquid: string[] } {
  const opening = /\{[{%]/g;
  const endOfComment = /\{%-?\s*endcomment\b/g;
  const liquid: string[] = [];
  let html = "";
  let done = 0;
  for (let found = opening.exec(body); found !== null; found = opening.exec(body)) {
    const close = body.indexOf(found[0] === "{{" ? "}}" : "%}", found.index + 2);
    if (close < 0) break;
    const piece = body.slice(found.index, close + 2);
    html += body.slice(done, found.index);
    if (comment.test(piece)) {
      endOfComment.lastIndex = close;
      done = endOfComment.exec(body)?.index ?? body.length;
    } else {
      html += `\ue000${liquid.push(piece) - 1}\ue001`;
      done = close + 2;
    }
    opening.lastIndex = done;
  }
  return { html: html + body.slice(done), liquid };
}
