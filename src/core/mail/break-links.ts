import type { JsonValue } from "../json";

/** The signs that mail programs take for the dot of a domain. */
const dots = ".。．｡";
const anyDot = new RegExp(`[${dots}]`, "g");

/** What follows a scheme: all its dots are broken, because an address of numbers is followed too. */
const behindScheme = /:\/\/[^\s<>"']*/g;

/** A dot within a name such as `example.com`. Numbers such as 3.14, and the ends of sentences, stay. */
const dotOfName = new RegExp(`(?<=[\\p{L}\\p{N}-])[${dots}](?=[\\p{L}\\p{M}]{2})`, "gu");

/**
 * Breaks whatever a mail program would make a link of, and leaves it readable: `https://evil.example` becomes
 * `https[:]//evil[.]example`. Names without a scheme are broken too, and so are the domains of addresses.
 */
export function breakLinks(text: string): string {
  return text
    .replace(behindScheme, (rest) => rest.replaceAll("://", "[:]//").replace(anyDot, "[.]"))
    .replace(dotOfName, "[.]");
}

/** The same for every text in a value, keys included, because templates may print those. */
export function breakLinksIn(value: JsonValue): JsonValue {
  if (typeof value === "string") return breakLinks(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(breakLinksIn);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [breakLinks(key), breakLinksIn(inner)]));
}
