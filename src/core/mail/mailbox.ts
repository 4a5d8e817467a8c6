import { type Address, normalizeEmail, wireAddress } from "./address";

/** An address with its display name in the form of RFC 5322, for providers that take it as one text. */
export function mailbox({ written, name }: Address): string {
  return name === null || name === "" ? written : `"${name.replace(/["\\]/g, "\\$&")}" <${written}>`;
}

/**
 * Takes `Reply-To` out of the extra headers, for providers with a separate field. A caller's header overrides the
 * mail's own.
 */
export function splitReplyTo(
  headers: Record<string, string>,
  replyTo: string | null,
): { replyTo: string | null; headers: Record<string, string> } {
  const entries = Object.entries(headers);
  const isReplyTo = ([name]: [string, string]) => name.toLowerCase() === "reply-to";
  return {
    replyTo: entries.find(isReplyTo)?.[1] ?? replyTo,
    headers: Object.fromEntries(entries.filter((entry) => !isReplyTo(entry))),
  };
}

/** One or several addresses with or without names, as a `Reply-To` header has them. Null when one of them is none. */
export function normalizeMailboxes(written: string): string | null {
  const parts = written.match(/(?:"(?:[^"\\]|\\.)*"|[^",])+/g) ?? [];
  const read = parts.map((part) => normalizeMailbox(part.trim()));
  // A quotation mark without its other half, and a comma without an address, are in no part.
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
