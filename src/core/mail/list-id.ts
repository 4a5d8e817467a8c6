import { named } from "./mime/headers";

/** The limit for the identifier, without the angle brackets (RFC 2919 section 3). */
const maxIdLength = 255;

/**
 * Returns the value of a List-Id header (RFC 2919): a name for people to read, and an identifier that stays the same
 * for every email of the list. The domain belongs to the sender, so no other sender's list has the same identifier.
 * Empty when the domain is too long for an identifier; an empty header is left out.
 */
export function listIdHeader(name: string | null, list: string, domain: string): string {
  const id = `${list}.${domain}`.toLowerCase();
  if (id.length > maxIdLength) return "";
  return name === null || name.trim() === "" ? `<${id}>` : named(name, id);
}
