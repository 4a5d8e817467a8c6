export const maxAddressLength = 254;
export const maxLocalLength = 64;
const dotAtom = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const hostLabel = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * Returns the normalized form of an address, which identifies a contact: trimmed, lower-case, the domain in ASCII (RFC
 * 5321 with RFC 5890 domains; no quoted local parts, no address literals). Null for anything else.
 */
export function normalizeEmail(written: string): string | null {
  const trimmed = written.trim();
  const at = trimmed.lastIndexOf("@");
  const local = trimmed.slice(0, Math.max(at, 0));
  const domain = asciiDomain(trimmed.slice(at + 1));
  if (local.length > maxLocalLength || !isLocalPart(local) || domain === null) return null;
  const email = `${local.toLowerCase()}@${domain}`;
  return email.length > maxAddressLength ? null : email;
}

/** Whether these characters may form the part before the @ (RFC 5321, without quotes). */
export function isLocalPart(local: string): boolean {
  return dotAtom.test(local);
}

/** Returns a host name of at least two labels in lower-case ASCII; null when the text is not one. */
export function asciiDomain(written: string): string | null {
  // The URL parser would accept more than a host (paths, ports, users), or silently drop a part (control characters at
  // the end), so such strings are refused first.
  if (!/^[^\s\p{Cc}/\\?#@:%[\]]+$/u.test(written)) return null;
  const domain = isPlain(written) ? written : hostIn(`http://${written}`);
  if (domain === null) return null;
  const labels = domain.split(".");
  const topLevel = labels.at(-1) ?? "";
  const isHost = labels.length > 1 && domain.length <= 253 && labels.every((label) => hostLabel.test(label));
  return isHost && !/^\d+$/.test(topLevel) ? domain : null;
}

/** Whether the URL parser would not change the domain. Nearly all domains are plain, and the parser is slow. */
function isPlain(domain: string): boolean {
  return /^([a-z0-9-]+\.)+[a-z]+$/.test(domain) && !domain.includes("xn--");
}

/** Returns the host of a URL. This code also runs in the command line, so it avoids URL.parse, which Node 20 lacks. */
function hostIn(url: string): string | null {
  return URL.canParse(url) ? new URL(url).hostname : null;
}

/** Returns the part after the @ of an address that `normalizeEmail` returned. */
export function domainOf(email: string): string {
  return email.slice(email.lastIndexOf("@") + 1);
}

/**
 * Returns an address for headers and envelopes. The part before the @ is as the caller wrote it, because the
 * recipient's server may distinguish case. The domain is as `normalizeEmail` returned it, because some providers and
 * servers accept no other form.
 */
export function wireAddress(written: string, email: string): string {
  const trimmed = written.trim();
  return `${trimmed.slice(0, trimmed.lastIndexOf("@"))}@${domainOf(email)}`;
}

export interface Address {
  /** The normalized address: the key of contacts and suppressions. */
  email: string;
  /** The address in the form of `wireAddress`, for headers and envelopes. */
  written: string;
  name: string | null;
}
