/** Stands in for the whole of SimpleWebAuthn: we verify answers, and make their options ourselves. */
export { verifyAuthenticationResponse } from "../../node_modules/@simplewebauthn/server/esm/authentication/verifyAuthenticationResponse.js";
export { verifyRegistrationResponse } from "../../node_modules/@simplewebauthn/server/esm/registration/verifyRegistrationResponse.js";
