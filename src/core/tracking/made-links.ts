import { decodeHTMLAttribute } from "entities/decode";
import { isOwnUrl, webUrlOf } from "./destination";
import { outlineOf } from "./outline";
import { maxLinks } from "./token";
import { writtenLinks } from "./written-links";

export interface MadeLink {
  /** The decoded value of the `href` attribute. */
  href: string;
  /** The URL as it is written in the body. */
  url: string;
}

/**
 * Finds the links of a rendered mail that come from `body`, the content before rendering. Returns each `href` once, and
 * leaves out links to the recipient's own pages.
 */
export function madeLinks(html: string, body: string, base: string): MadeLink[] {
  const written = writtenLinks(body);
  const made = new Map<string, string>();
  for (const slot of outlineOf(html, maxLinks)) {
    const destination = slot.kind === "link" ? webUrlOf(slot.raw) : null;
    if (slot.kind !== "link" || destination === null || isOwnUrl(destination, base)) continue;
    const url = written.urls[written.numberOf(destination) - 1];
    if (url !== undefined) made.set(decodeHTMLAttribute(slot.raw), url);
  }
  return [...made].map(([href, url]) => ({ href, url }));
}
