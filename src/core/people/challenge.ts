import type { Id } from "../ids";
import { textOf } from "../ids";
import { openSealedText, sealText } from "../sealed-text";
import { minuteMs } from "../time";

/** How long a passkey may take to answer a challenge. */
export const challengeMs = 5 * minuteMs;

/** The purpose of a challenge. A challenge to register is only valid for the person who asked for it. */
export type ChallengePurpose = { is: "sign-in" } | { is: "registration"; personId: Id };

/**
 * Makes the challenge that a passkey signs. It needs no row: it is sealed with our secret, and contains random bytes
 * and the time at which it expires.
 */
export function newChallenge(secrets: readonly string[], purpose: ChallengePurpose, now: number): Promise<string> {
  return sealText(secrets, ownerOf(purpose), String(now + challengeMs));
}

/** Returns when a challenge expires. Null when we did not make it for this purpose, or when it has expired. */
export async function openChallenge(
  secrets: readonly string[],
  purpose: ChallengePurpose,
  challenge: string,
  now: number,
): Promise<number | null> {
  const text = await openSealedText(secrets, ownerOf(purpose), challenge);
  const expiresAt = Number(text ?? 0);
  return expiresAt > now ? expiresAt : null;
}

function ownerOf(purpose: ChallengePurpose): string {
  return purpose.is === "sign-in" ? "passkey sign-in" : `passkey of ${textOf(purpose.personId)}`;
}
