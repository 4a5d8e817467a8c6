import { hmac as hmacOf } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";

/** Stands in for the hash that standardwebhooks signs with. Ours computes the same, and is in the bundle anyway. */
export function hmac(key, message) {
  return hmacOf(sha256, key, message);
}
