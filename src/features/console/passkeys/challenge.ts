import { sql } from "drizzle-orm";
import { fromBase64url } from "../../../core/base64url";
import { Invalid } from "../../../core/errors";
import { hashKey } from "../../../core/keys";
import { type ChallengePurpose, openChallenge } from "../../../core/people/challenge";
import { refusable, type Statement } from "../../../db/statement";
import { usedUp } from "../../../engine/people/open-session";
import type { Platform } from "../../../platform/context";

/** A challenge of ours that a passkey has answered in time. */
export interface AnsweredChallenge {
  text: string;
  /** The SHA-256 of the text. */
  hash: string;
  expiresAt: number;
}

/**
 * Returns the challenge in an answer. Throws Invalid unless we made it for this purpose within the last five minutes.
 */
export async function requireChallenge(
  { config, now }: Platform,
  purpose: ChallengePurpose,
  clientDataJSON: string,
): Promise<AnsweredChallenge> {
  const text = challengeIn(clientDataJSON);
  const expiresAt = await openChallenge(config.linkSecrets, purpose, text, now.getTime());
  if (expiresAt === null) throw wrongAnswer();
  return { text, hash: await hashKey(text), expiresAt };
}

/** Marks a challenge as used. Refuses the batch when the challenge was used before. */
export function useChallenge({ hash, expiresAt }: AnsweredChallenge): Statement {
  return refusable(sql`INSERT INTO used_challenges (hash, expires_at) VALUES (${hash}, ${expiresAt})`, {
    on: { unique: "used_challenges.hash" },
    refuse: () => usedUp(),
  });
}

/**
 * Returns the same error for every wrong answer, so that it reveals nothing about existing passkeys. The log has the
 * reason.
 */
export function wrongAnswer(): Invalid {
  const message =
    "Must be the answer of a passkey of a person here to a challenge of the last five minutes, with its " +
    "user verified";
  return new Invalid([{ field: "credential", message, code: "custom" }]);
}

/** Reads the challenge from the data that the browser has collected; empty when there is none. */
function challengeIn(clientDataJSON: string): string {
  const bytes = fromBase64url(clientDataJSON);
  if (bytes === null) return "";
  try {
    const data: unknown = JSON.parse(new TextDecoder().decode(bytes));
    const challenge = typeof data === "object" && data !== null && "challenge" in data ? data.challenge : null;
    return typeof challenge === "string" ? challenge : "";
  } catch {
    // The data is not JSON, so it contains no challenge of ours.
    return "";
  }
}
