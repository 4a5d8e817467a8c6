import type { Address } from "./address";

/** An address with its display name as RFC 5322 writes it, for providers that take it as one text. */
export function mailbox({ written, name }: Address): string {
  return name === null || name === "" ? written : `"${name.replace(/["\\]/g, "\\$&")}" <${written}>`;
}

/**
 * The extra headers of a mail with `Reply-To` taken out, for providers that take it as a field of its own. A caller's
 * header wins over the mail's own.
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
