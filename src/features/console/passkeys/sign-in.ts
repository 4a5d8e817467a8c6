import { type SQL, sql } from "drizzle-orm";
import { toBase64url } from "../../../core/base64url";
import { bytesOf } from "../../../core/ids";
import type { RelyingParty } from "../../../core/people/relying-party";
import { wholeRow } from "../../../db/rows";
import { guard, selectFirst, statement } from "../../../db/statement";
import { type PasskeyRow, passkeys } from "../../../db/tables";
import { openSession, type SigningBrowser } from "../../../engine/people/open-session";
import type { Platform } from "../../../platform/context";
import { requireChallenge, useChallenge, wrongAnswer } from "./challenge";
import type { SignInAnswer } from "./schema";
import { type Reported, verifySignIn } from "./verify";

/** Signs in the person whose passkey has answered a challenge. Returns the session's cookie. */
export async function signInByPasskey(
  platform: Platform,
  browser: SigningBrowser,
  party: RelyingParty,
  answer: SignInAnswer,
): Promise<string> {
  const challenge = await requireChallenge(platform, { is: "sign-in" }, answer.response.clientDataJSON);
  const passkey = await selectFirst(
    platform.control,
    sql`SELECT * FROM passkeys WHERE credential_id = ${answer.id}`,
    wholeRow(passkeys),
  );
  if (passkey === null || !isTheirs(passkey, answer)) throw wrongAnswer();
  const used = await verifySignIn(platform, answer, passkey, { challenge: challenge.text, party });
  const own = sql`credential_id = ${passkey.credentialId}`;
  return openSession(platform, browser, {
    person: sql`SELECT p.id FROM passkeys k JOIN people p ON p.id = k.person_id WHERE k.${own}`,
    method: "passkey",
    openedBy: `challenge ${challenge.hash}`,
    before: [
      useChallenge(challenge),
      // The passkey may have been removed meanwhile, or a copy of it may have been used.
      guard(sql`EXISTS (SELECT 1 FROM passkeys WHERE ${own} AND ${mayCount(used)})`, () => wrongAnswer()),
      statement(sql`UPDATE passkeys SET counter = ${used.counter}, is_backup_eligible = ${used.isBackupEligible ? 1 : 0},
        is_backed_up = ${used.isBackedUp ? 1 : 0}, last_used_at = ${platform.now.getTime()} WHERE ${own}`),
    ],
  });
}

/**
 * Whether the authenticator names the person who owns the passkey. An authenticator may name nobody if the page asked
 * for this passkey alone, and that is accepted.
 */
function isTheirs({ personId }: PasskeyRow, { response }: SignInAnswer): boolean {
  return !response.userHandle || response.userHandle === toBase64url(bytesOf(personId));
}

/**
 * Matches when the reported count is possible: an authenticator that counts always reports a larger number than before.
 */
function mayCount({ counter }: Reported): SQL {
  return sql`(counter < ${counter} OR (counter = 0 AND ${counter} = 0))`;
}
