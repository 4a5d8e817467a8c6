/** The name of a header (RFC 9110, section 5.1). */
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const maxValueLength = 4_096;

/** Headers that tenants may not set, because they frame the request or identify its sender. */
const ours = new Set([
  "host",
  "connection",
  "content-length",
  "expect",
  "forwarded",
  "http2-settings",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "via",
  "x-real-ip",
]);
const ourFamilies = ["cf-", "cdn-", "proxy-", "sec-", "x-forwarded-"];

/** Returns the reason why a tenant may not set this header in a call that we make; null when it may be set. */
export function headerFault(name: string, value: string): string | null {
  if (!token.test(name)) return `${JSON.stringify(name)} is not the name of a header`;
  const lower = name.toLowerCase();
  if (ours.has(lower) || ourFamilies.some((family) => lower.startsWith(family))) {
    return `The header ${name} cannot be set: the service sets it, or leaves it out`;
  }
  if (value.length > maxValueLength) return `The header ${name} is longer than ${maxValueLength} characters`;
  // A line break would begin another header. Other control characters, and characters beyond Latin-1, cannot be sent.
  if (!/^[\t\x20-\x7e\xa0-\xff]*$/.test(value)) {
    return `The header ${name} must be one line of Latin-1 characters`;
  }
  return null;
}
