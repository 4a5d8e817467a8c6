import { fromBase64url, toBase64url } from "../../../core/base64url";
import { lazily } from "../../../core/lazily";
import type { RelyingParty } from "../../../core/people/relying-party";
import type { PasskeyRow } from "../../../db/tables";
import type { Platform } from "../../../platform/context";
import { reasonOf } from "../../../platform/log";
import { wrongAnswer } from "./challenge";
import type { RegistrationAnswer, SignInAnswer } from "./schema";

// Loaded on first use, because nothing else in the console needs it.
const webAuthn = lazily(() => import("@simplewebauthn/server"));

/**
 * ES256 and RS256, by their COSE numbers. Every authenticator knows one of them, and the bundle has no code for others.
 */
export const algorithms = [-7, -257];

interface Expected {
  challenge: string;
  party: RelyingParty;
}

/** The parts of a passkey that its authenticator reports. */
export interface Reported {
  /** How often the passkey was used, by the authenticator's own count; 0 when the authenticator does not count. */
  counter: number;
  /** Whether the passkey can be backed up. */
  isBackupEligible: boolean;
  /** Whether the passkey is backed up now. */
  isBackedUp: boolean;
}

/**
 * Verifies the answer of a new passkey. Throws Invalid if the answer is for another challenge, origin or relying party,
 * or if the authenticator has not verified the user. Ignores attestations, because passkeys of every maker are
 * accepted.
 */
export async function verifyRegistration(
  platform: Platform,
  answer: RegistrationAnswer,
  { challenge, party }: Expected,
): Promise<Reported & { credentialId: string; publicKey: string }> {
  const { verifyRegistrationResponse } = await webAuthn();
  const { transports, ...response } = answer.response;
  const { registrationInfo } = await orRefuse(platform, () =>
    verifyRegistrationResponse({
      response: { ...answer, response, clientExtensionResults: {} },
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: true,
      supportedAlgorithmIDs: algorithms,
    }),
  );
  if (registrationInfo === undefined) throw wrongAnswer();
  const { credential, credentialDeviceType, credentialBackedUp } = registrationInfo;
  return {
    credentialId: credential.id,
    publicKey: toBase64url(credential.publicKey),
    counter: credential.counter,
    isBackupEligible: credentialDeviceType === "multiDevice",
    isBackedUp: credentialBackedUp,
  };
}

/**
 * Verifies the answer of a registered passkey. Throws Invalid in the same cases as `verifyRegistration`, and when the
 * passkey's own count shows that it was copied.
 */
export async function verifySignIn(
  platform: Platform,
  answer: SignInAnswer,
  { credentialId, publicKey, counter }: PasskeyRow,
  { challenge, party }: Expected,
): Promise<Reported> {
  const { verifyAuthenticationResponse } = await webAuthn();
  const { userHandle, ...response } = answer.response;
  const { verified, authenticationInfo } = await orRefuse(platform, () =>
    verifyAuthenticationResponse({
      response: { ...answer, response, clientExtensionResults: {} },
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      credential: { id: credentialId, publicKey: fromBase64url(publicKey) ?? new Uint8Array(), counter },
      requireUserVerification: true,
    }),
  );
  if (!verified) throw wrongAnswer();
  return {
    counter: authenticationInfo.newCounter,
    isBackupEligible: authenticationInfo.credentialDeviceType === "multiDevice",
    isBackedUp: authenticationInfo.credentialBackedUp,
  };
}

/**
 * Refuses the answer when the library throws. Every error means that the answer is wrong, because the library reads
 * only the answer.
 */
async function orRefuse<Result>(platform: Platform, verify: () => Promise<Result>): Promise<Result> {
  try {
    return await verify();
  } catch (error) {
    platform.log("info", "The answer of a passkey was refused", { reason: reasonOf(error) });
    throw wrongAnswer();
  }
}
