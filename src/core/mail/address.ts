const maxAddressLength = 254;
const maxLocalLength = 64;
const dotAtom = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const hostLabel = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * The one form of an address by which contacts are found: trimmed, lower-case, the domain in its ASCII form
 * (RFC 5321 with RFC 5890 domains; no quoted local parts, no address literals). Null when it is not an address.
 */
export function normalizeEmail(written: string): string | null {
  const trimmed = written.trim();
  const at = trimmed.lastIndexOf("@");
  const local = trimmed.slice(0, Math.max(at, 0));
  const domain = asciiDomain(trimmed.slice(at + 1));
  if (local.length > maxLocalLength || !dotAtom.test(local) || domain === null) return null;
  const email = `${local.toLowerCase()}@${domain}`;
  return email.length > maxAddressLength ? null : email;
}

/** A host name of two labels or more in lower-case ASCII; null when it is none. */
export function asciiDomain(written: string): string | null {
  // A host name in a URL is exactly this: what else the parser would take (paths, ports, users), or quietly drop
  // (control characters at the end), is refused before.
  if (!/^[^\s\p{Cc}/\\?#@:%[\]]+$/u.test(written)) return null;
  const domain = isPlain(written) ? written : URL.parse(`http://${written}`)?.hostname;
  if (domain === undefined) return null;
  const labels = domain.split(".");
  const topLevel = labels.at(-1) ?? "";
  const isHost = labels.length > 1 && domain.length <= 253 && labels.every((label) => hostLabel.test(label));
  return isHost && !/^\d+$/.test(topLevel) ? domain : null;
}

/** Nearly every domain is one that a URL's host would leave as it is, and to parse a URL takes long. */
function isPlain(domain: string): boolean {
  return /^([a-z0-9-]+\.)+[a-z]+$/.test(domain) && !domain.includes("xn--");
}

/** The part after the @ of an address that `normalizeEmail` returned. */
export function domainOf(email: string): string {
  return email.slice(email.lastIndexOf("@") + 1);
}

export interface Address {
  /** Normalized: what contacts and suppressions are keyed by. */
  email: string;
  /** As the caller wrote it, for the header. */
  written: string;
  name: string | null;
}
