import { toBase64url } from "../../../core/base64url";
import { bytesOf } from "../../../core/ids";
import { challengeMs, newChallenge } from "../../../core/people/challenge";
import type { RelyingParty } from "../../../core/people/relying-party";
import { shownName, type Visitor } from "../../../core/people/visitor";
import type { Platform } from "../../../platform/context";
import { findPasskeys } from "./passkey";
import { algorithms } from "./verify";

const isPublicKey = "public-key" as const;

/** Returns the options with which a browser makes a passkey for the person. */
export async function prepareRegistration(platform: Platform, visitor: Visitor, party: RelyingParty) {
  const { config, now } = platform;
  const { id: personId, email } = visitor.person;
  const purpose = { is: "registration" as const, personId };
  const own = await findPasskeys(platform, visitor);
  return {
    challenge: await newChallenge(config.linkSecrets, purpose, now.getTime()),
    rp: { id: party.id, name: "Petrel" },
    user: { id: toBase64url(bytesOf(personId)), name: email, displayName: shownName(visitor.person) },
    pubKeyCredParams: algorithms.map((alg) => ({ type: isPublicKey, alg })),
    timeout: challengeMs,
    attestation: "none" as const,
    authenticatorSelection: {
      residentKey: "required" as const,
      requireResidentKey: true as const,
      userVerification: "required" as const,
    },
    excludeCredentials: own.map(({ credentialId: id, transports }) => ({ id, type: isPublicKey, transports })),
  };
}

/** Returns the options with which a browser finds a passkey for this installation. They are the same for everybody. */
export async function prepareSignIn({ config, now }: Platform, party: RelyingParty) {
  return {
    challenge: await newChallenge(config.linkSecrets, { is: "sign-in" }, now.getTime()),
    rpId: party.id,
    timeout: challengeMs,
    userVerification: "required" as const,
    allowCredentials: [],
  };
}
