import type { Message } from "./message";
import type { EmailType } from "./status";

/** What a provider can do. Whoever sends asks here, and never which provider it is. */
export interface Abilities {
  /** For how long a second call with the same email id is refused or answered from memory; 0 when it never is. */
  idempotencyWindowMs: number;
  /** The largest finished message it takes, encoded as it travels. */
  maxMessageBytes: number;
  /** Beginnings, in lower case, of header names by which the provider itself is steered. */
  steeringHeaders: readonly string[];
  /** May mail of type MARKETING go through it? */
  allowsMarketing: boolean;
}

/**
 * Why a mail cannot go through a provider, null when it can. A header that steers the provider would let one project
 * change what the account does for all: another tag, and the reports of this mail would settle somebody else's.
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
