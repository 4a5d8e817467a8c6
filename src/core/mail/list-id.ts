import { named } from "./mime/headers";

/** RFC 2919 section 3: of the identifier, without the angle brackets. */
const maxIdLength = 255;

/**
 * The value of a List-Id header (RFC 2919): a name for people to read, and an identifier that stays the same for every mail of
 * the list. The domain belongs to the sender, so nobody else's list has the identifier. "" where a domain is too long for
 * one; a header without a value is not written.
 */
export function listIdHeader(name: string | null, list: string, domain: string): string {
  const id = `${list}.${domain}`.toLowerCase();
  if (id.length > maxIdLength) return "";
  return name === null || name.trim() === "" ? `<${id}>` : named(name, id);
}
