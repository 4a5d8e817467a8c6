import ipaddr from "ipaddr.js";

/** Reads the host of a URL as an IP address, and removes the brackets of `[::1]`. Null when the host is a name. */
export function literalAddress(hostname: string): string | null {
  if (hostname.startsWith("[") && hostname.endsWith("]")) return hostname.slice(1, -1);
  return ipaddr.IPv4.isValidFourPartDecimal(hostname) ? hostname : null;
}

/** The first 16 bits of the addresses that are routed on the internet: 2000::/3 (RFC 4291, section 2.4). */
const [firstRouted, lastRouted] = [0x2000, 0x3fff];
/** The addresses reserved for documentation (RFC 9637). */
const documentation: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse("3fff::"), 20];

/**
 * Whether an IP address belongs to the public internet. Addresses with a special meaning do not: private, loopback,
 * link-local, CGNAT, multicast, unspecified, broadcast, documentation, benchmarking. Neither does an IPv6 address that
 * contains an IPv4 address (mapped, compatible, 6to4, NAT64, Teredo), whatever that address is. A text that is not an
 * address in its usual form is not public.
 */
export function isPublicAddress(text: string): boolean {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text).range() === "unicast";
  // An address with a zone (`fe80::1%eth0`) only has a meaning on one machine, so it is not public.
  if (!ipaddr.IPv6.isValid(text) || text.includes("%")) return false;
  const address = ipaddr.IPv6.parse(text);
  const [first = 0] = address.parts;
  if (first < firstRouted || first > lastRouted) return false;
  return address.range() === "unicast" && !address.match(documentation);
}
