/**
 * The network of an IP address, as one household has it: an address of IPv4 itself, and of IPv6 the first 64 bits
 * (RFC 4291 section 2.5.1), below which everybody has as many addresses as they like.
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
