import type { Address } from "./address";

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
