/**
 * Returns the network of one household: an IPv4 address itself, or the first 64 bits of an IPv6 address (RFC 4291
 * section 2.5.1), within which a household may use any number of addresses.
 */
export function networkOf(address: string): string {
  if (!address.includes(":")) return address;
  const [head = "", tail] = address.split("::");
  const [before, after] = [groupsOf(head), groupsOf(tail ?? "")];
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length);
  const groups = [...before, ...Array<string>(zeros).fill("0"), ...after];
  return groups.slice(0, 4).join(":");
}

function groupsOf(text: string): string[] {
  return text === "" ? [] : text.split(":");
}
