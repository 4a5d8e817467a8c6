import { isLoopback } from "../dns";

/** The owner of passkeys: they are offered and valid on the pages of this origin alone. */
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
