import type { Message } from "./message";
import type { EmailType } from "./status";

/** The abilities of a provider. Senders check these, and never the provider's name. */
export interface Abilities {
  /** For how long the provider recognises a repeated call by its key; 0 when it never does. */
  idempotencyWindowMs: number;
  /** The maximum number of emails in one call. */
  mailsPerCall: number;
  /** Whether mail with attachments may share a call with other mail. */
  sharesCallsWithFiles: boolean;
  /** The maximum size of a complete, encoded message that the provider accepts, in bytes. */
  maxMessageBytes: number;
  /** Prefixes, in lower case, of headers that are instructions to the provider. */
  steeringHeaders: readonly string[];
  /** Whether the provider accepts mail of type MARKETING. */
  allowsMarketing: boolean;
}

/**
 * Returns why an email cannot be sent through a provider; null when it can. All projects share the provider's account,
 * so a header with an instruction would let one project affect the others. For example, if an email had another
 * project's tag, reports about it would count for that project.
 */
export function unfitness(
  { steeringHeaders, allowsMarketing }: Abilities,
  type: EmailType,
  { headers }: Pick<Message, "headers">,
): string | null {
  if (type === "MARKETING" && !allowsMarketing) {
    return "The mail provider does not accept marketing mail: MAIL_PROVIDER_MARKETING can name one that does";
  }
  const steering = Object.keys(headers).find((name) =>
    steeringHeaders.some((beginning) => name.toLowerCase().startsWith(beginning)),
  );
  return steering === undefined
    ? null
    : `The header ${steering} is an instruction to the mail provider and cannot be set`;
}
