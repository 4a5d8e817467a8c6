import type { JsonObject, JsonValue } from "../json";

/** The characters that mail programs treat as the dot of a domain. */
const dots = ".。．｡";
const anyDot = new RegExp(`[${dots}]`, "g");

/**
 * Matches a link from the colon after its scheme or, without a scheme, from its slashes. All dots in the match are
 * replaced, because mail programs also recognise numeric addresses. A backslash counts as a slash, as in browsers.
 */
const behindSlashes = /(?<!\[:\]|[\\/])(?::[\\/]{2,}[^\s<>"']*|:[\\/][^\s<>"']+|[\\/]{2,}[^\s<>"']+)/g;
const slashes = /(?<!\[:\]|[\\/])(:[\\/]|[\\/]{2,})/g;

/** Matches text that HTML would read as a tag or an entity when a template prints it with `| raw`. */
const signOfHtml = /<(?=[a-z/!?]|$)|&(?=#|[a-z][a-z\d]*;|$)/gi;

/** A dot within a name such as `example.com`. Numbers such as 3.14 and the ends of sentences do not match. */
const dotOfName = new RegExp(`(?<=[\\p{L}\\p{N}-])[${dots}](?=[\\p{L}\\p{M}]{2})`, "gu");

/**
 * Changes everything that a mail program would turn into a link, and keeps it readable: `https://evil.example` becomes
 * `https[:]//evil[.]example`. Names without a scheme, the domains of addresses, tags and HTML entities are changed as
 * well.
 */
export function breakLinks(text: string): string {
  return text
    .replace(signOfHtml, "[$&]")
    .replace(behindSlashes, (link) =>
      link.replace(slashes, (sign) => (sign.startsWith(":") ? `[:]${sign.slice(1)}` : "[/]/")).replace(anyDot, "[.]"),
    )
    .replace(dotOfName, "[.]");
}

/** Breaks links in every text of a value, including keys, because templates may print keys. */
export function breakLinksIn(value: JsonValue): JsonValue {
  if (typeof value === "string") return breakLinks(value);
  if (typeof value !== "object" || value === null) return value;
  return Array.isArray(value) ? value.map(breakLinksIn) : breakLinksInData(value);
}

export function breakLinksInData(data: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(data).map(([key, inner]) => [breakLinks(key), breakLinksIn(inner)]));
}
