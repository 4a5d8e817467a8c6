/**
 * Replaces what SimpleWebAuthn knows about makers of authenticators and their certificates, which is nine tenths of the
 * package. We ask for no attestation and trust none, so any statement about a maker is ignored.
 */
const isNotAsked = async () => true;

export {
  isNotAsked as verifyAttestationAndroidKey,
  isNotAsked as verifyAttestationAndroidSafetyNet,
  isNotAsked as verifyAttestationApple,
  isNotAsked as verifyAttestationFIDOU2F,
  isNotAsked as verifyAttestationPacked,
  isNotAsked as verifyAttestationTPM,
};

export const SettingsService = { getRootCertificates: () => [] };

/** Signatures are verified with the passkey's own key alone. */
export function convertX509PublicKeyToCOSE() {
  throw new Error("Certificates are not in the bundle");
}
