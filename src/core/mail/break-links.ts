import type { JsonObject, JsonValue } from "../json";

/** The signs that mail programs take for the dot of a domain. */
const dots = ".。．｡";
const anyDot = new RegExp(`[${dots}]`, "g");

/**
 * Matches the rest of a link after its scheme, or after the slashes of a link without one. All its dots are broken,
 * because mail programs also follow numeric addresses. Browsers take a backslash for a slash.
 */
const behindSlashes = /(?<!\[:\]|[\\/])(?::[\\/]{2,}[^\s<>"']*|:[\\/][^\s<>"']+|[\\/]{2,}[^\s<>"']+)/g;
const slashes = /(?<!\[:\]|[\\/])(:[\\/]|[\\/]{2,})/g;

/** Matches text that HTML would read as a tag or a character when a template prints it with `| raw`. */
const signOfHtml = /<(?=[a-z/!?]|$)|&(?=#|[a-z][a-z\d]*;|$)/gi;

/** A dot within a name such as `example.com`. Numbers such as 3.14, and the ends of sentences, stay. */
const dotOfName = new RegExp(`(?<=[\\p{L}\\p{N}-])[${dots}](?=[\\p{L}\\p{M}]{2})`, "gu");

/**
 * Breaks whatever a mail program would make a link of, and leaves it readable: `https://evil.example` becomes
 * `https[:]//evil[.]example`. Names without a scheme are broken too, and so are the domains of addresses, tags, and
 * characters that are written as HTML writes them.
 */
export function breakLinks(text: string): string {
  return text
    .replace(signOfHtml, "[$&]")
    .replace(behindSlashes, (link) =>
      link.replace(slashes, (sign) => (sign.startsWith(":") ? `[:]${sign.slice(1)}` : "[/]/")).replace(anyDot, "[.]"),
    )
    .replace(dotOfName, "[.]");
}

/** The same for every text in a value, keys included, because templates may print those. */
export function breakLinksIn(value: JsonValue): JsonValue {
  if (typeof value === "string") return breakLinks(value);
  if (typeof value !== "object" || value === null) return value;
  return Array.isArray(value) ? value.map(breakLinksIn) : breakLinksInData(value);
}

export function breakLinksInData(data: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(data).map(([key, inner]) => [breakLinks(key), breakLinksIn(inner)]));
}
