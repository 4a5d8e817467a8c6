import { hmac as hmacOf } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";

/** Replaces the hash with which standardwebhooks signs. Ours computes the same, and is in the bundle anyway. */
export function hmac(key, message) {
  return hmacOf(sha256, key, message);
}
