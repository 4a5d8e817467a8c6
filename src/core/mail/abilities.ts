import type { Message } from "./message";
import type { EmailType } from "./status";

/** The abilities of a provider. Senders check these, and never which provider it is. */
export interface Abilities {
  /** How long the provider recognises a second call with the same key; 0 when it never does. */
  idempotencyWindowMs: number;
  /** How many mails one call takes. */
  mailsPerCall: number;
  /** Whether mail with attachments may share a call with other mail. */
  sharesCallsWithFiles: boolean;
  /** The largest complete message that it accepts, encoded. */
  maxMessageBytes: number;
  /** Prefixes, in lower case, of headers that are instructions to the provider. */
  steeringHeaders: readonly string[];
  /** Whether it accepts mail of type MARKETING. */
  allowsMarketing: boolean;
}

/**
 * Why a mail cannot go through a provider; null when it can. A header with an instruction would let one project change
 * the account for all: with another tag, reports of this mail would apply to another mail.
 */
export function unfitness(
  { steeringHeaders, allowsMarketing }: Abilities,
  type: EmailType,
  { headers }: Pick<Message, "headers">,
): string | null {
  if (type === "MARKETING" && !allowsMarketing) return "The mail provider does not accept marketing mail";
  const steering = Object.keys(headers).find((name) =>
    steeringHeaders.some((beginning) => name.toLowerCase().startsWith(beginning)),
  );
  return steering === undefined
    ? null
    : `The header ${steering} is an instruction to the mail provider and cannot be set`;
}
