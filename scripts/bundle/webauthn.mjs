/** Replaces the whole of SimpleWebAuthn: we only verify answers, and build their options ourselves. */
export { verifyAuthenticationResponse } from "../../node_modules/@simplewebauthn/server/esm/authentication/verifyAuthenticationResponse.js";
export { verifyRegistrationResponse } from "../../node_modules/@simplewebauthn/server/esm/registration/verifyRegistrationResponse.js";
