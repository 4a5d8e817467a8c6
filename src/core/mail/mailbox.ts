import { type Address, normalizeEmail, wireAddress } from "./address";

/** Returns an address with its display name in the form of RFC 5322, for providers that expect it as one text. */
export function mailbox({ written, name }: Address): string {
  return name === null || name === "" ? written : `"${name.replace(/["\\]/g, "\\$&")}" <${written}>`;
}

/**
 * Separates `Reply-To` from the extra headers, for providers that have a separate field for it. The header of a caller
 * overrides the `replyTo` of the mail.
 */
export function splitReplyTo(
  headers: Record<string, string>,
  replyTo: Address | null,
): { replyTo: string | null; headers: Record<string, string> } {
  const entries = Object.entries(headers);
  const isReplyTo = ([name]: [string, string]) => name.toLowerCase() === "reply-to";
  return {
    replyTo: entries.find(isReplyTo)?.[1] ?? (replyTo && mailbox(replyTo)),
    headers: Object.fromEntries(entries.filter((entry) => !isReplyTo(entry))),
  };
}

/**
 * Normalizes one or several addresses with or without names, as in a `Reply-To` header. Null when one of them is not an
 * address.
 */
export function normalizeMailboxes(written: string): string | null {
  const parts = written.match(/(?:"(?:[^"\\]|\\.)*"|[^",])+/g) ?? [];
  const read = parts.map((part) => normalizeMailbox(part.trim()));
  // The parts are compared with the whole text, because an unmatched quotation mark, or a comma without an address,
  // belongs to no part.
  return parts.length > 0 && parts.join(",") === written && read.every((mailbox) => mailbox !== null)
    ? read.join(", ")
    : null;
}

function normalizeMailbox(written: string): string | null {
  const [, name = "", address = written] = /^([^<>]*)<([^<>]*)>$/.exec(written) ?? [];
  const email = normalizeEmail(address);
  if (email === null) return null;
  const wire = wireAddress(address, email);
  return address === written ? wire : `${name.trim()} <${wire}>`.trim();
}
