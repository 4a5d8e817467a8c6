import { decodeHTMLAttribute } from "entities/decode";
import { utf8Bytes } from "../json";
import { maxUrlBytes } from "./token";

/** The paths of the pixel and of clicks, each followed by a token. */
export const pixelPath = "/o/";
export const clickPath = "/c/";

/** Paths of our own below the base URL: the recipient's pages, and links that are tracked already. */
const ownPath = /^\/(?:unsubscribe|subscribe|manage|confirm|o|c)\//;

/**
 * Returns the URL of the web page to which a link leads; null for a link that is not tracked: `mailto:`, an anchor, a
 * relative URL, or a URL that is too long or invalid. `raw` is the value of its `href` as written in the HTML.
 */
export function webUrlOf(raw: string): string | null {
  const decoded = raw.includes("&") ? decodeHTMLAttribute(raw) : raw;
  const url = cleanUrl(decoded);
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) return null;
  return url.length * 3 > maxUrlBytes && utf8Bytes(url) > maxUrlBytes ? null : url;
}

/** Cleans a URL as browsers do. */
export function cleanUrl(decoded: string): string {
  return decoded.replace(padding, "").replace(/[\t\n\r]/g, "");
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: browsers remove them
const padding = /^[\u0000- ]+|[\u0000- ]+$/g;

/** Whether a URL leads to a path of our own (see `ownPath`), with or without additional parameters. */
export function isOwnUrl(url: string, base: string): boolean {
  return url.slice(0, base.length).toLowerCase() === base.toLowerCase() && ownPath.test(url.slice(base.length));
}
