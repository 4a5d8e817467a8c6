import type { JSONWebKeySet } from "jose";
import { NotAuthenticated } from "../../../core/errors";
import { lazily } from "../../../core/lazily";
import { normalizeEmail } from "../../../core/mail/address";
import type { Access } from "../../../platform/console-settings";
import type { Platform } from "../../../platform/context";
import { reasonOf } from "../../../platform/log";
import { newTeamKeys, teamKeys } from "./team-keys";

// jose is loaded on first use, because nothing else in the console needs it. Only parts of it are imported: the whole
// package would add encryption to the bundle.
const jose = lazily(async () => {
  const [verifying, keySets, errors] = await Promise.all([
    import("jose/jwt/verify"),
    import("jose/jwks/local"),
    import("jose/errors"),
  ]);
  return { ...verifying, ...keySets, errors };
});

const clockToleranceSeconds = 30;

/**
 * Returns the address of the person whom Cloudflare Access has let through. Throws NotAuthenticated for an assertion
 * that Access has not signed for this application, or that has expired. The Worker can also be reached at addresses
 * that Access does not protect, so the header alone proves nothing.
 */
export async function verifiedAddress(platform: Platform, access: Access, assertion: string): Promise<string> {
  const email = await verified(platform, access, assertion);
  const address = typeof email === "string" ? normalizeEmail(email) : null;
  // The assertion of a service token contains a name, but no address.
  if (address === null) throw refused("The assertion of Cloudflare Access has no email address.");
  return address;
}

async function verified(platform: Platform, access: Access, assertion: string): Promise<unknown> {
  const { errors } = await jose();
  try {
    return await emailIn(platform, access, assertion, await teamKeys(platform, access.team));
  } catch (error) {
    if (!(error instanceof errors.JOSEError)) throw error;
    const keys = error instanceof errors.JWKSNoMatchingKey ? await newTeamKeys(platform, access.team) : null;
    if (keys === null) throw notOurs(platform, error);
    return await emailIn(platform, access, assertion, keys).catch((again: unknown) => {
      throw again instanceof errors.JOSEError ? notOurs(platform, again) : again;
    });
  }
}

async function emailIn({ now }: Platform, { team, audience }: Access, assertion: string, keys: JSONWebKeySet) {
  const { createLocalJWKSet, jwtVerify } = await jose();
  const { payload } = await jwtVerify(assertion, createLocalJWKSet(keys), {
    algorithms: ["RS256"],
    issuer: team,
    audience,
    currentDate: now,
    clockTolerance: clockToleranceSeconds,
    requiredClaims: ["exp", "iat"],
  });
  return payload.email;
}

function notOurs(platform: Platform, error: Error): NotAuthenticated {
  platform.log("info", "An assertion of Cloudflare Access was refused", { reason: reasonOf(error) });
  return refused("The assertion of Cloudflare Access is not valid here, or has expired.");
}

function refused(message: string): NotAuthenticated {
  return new NotAuthenticated(message, {
    suggestion: "Load the page again, so that Access signs you in again, or sign in another way.",
  });
}
