import { isLoopback } from "../dns";

/**
 * The site to which passkeys belong: browsers offer them only on pages of this origin, and they are valid only there.
 */
export interface RelyingParty {
  /** The host name. */
  id: string;
  origin: string;
}

/**
 * Returns the relying party of an origin. Null when browsers allow no passkeys there: they require https or localhost,
 * and a name instead of an IP address.
 */
export function relyingPartyAt(origin: string): RelyingParty | null {
  const { protocol, hostname, origin: normal } = new URL(origin);
  const isAddress = hostname.startsWith("[") || /^[\d.]+$/.test(hostname);
  const isSecure = protocol === "https:" || isLoopback(hostname);
  return isSecure && !isAddress ? { id: hostname, origin: normal } : null;
}
