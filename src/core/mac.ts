import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";

const utf8 = new TextEncoder();

const keyed = new Map<string, ReturnType<typeof hmac.create>>();

/**
 * Returns an HMAC-SHA256 synchronously: an email needs several, and a promise for each would cost more than the hash
 * itself. For each secret, the isolate caches the state of the hash that has already processed the key. There are few
 * secrets, so the cache stays small.
 */
export function macOf(secret: string, bytes: Uint8Array): Uint8Array {
  const state = keyed.get(secret) ?? hmac.create(sha256, utf8.encode(secret));
  keyed.set(secret, state);
  return state.clone().update(bytes).digest();
}

/** Compares two authentication codes. Takes the same time regardless of where the two differ. */
export function isEqual(one: Uint8Array, other: Uint8Array): boolean {
  let difference = one.length ^ other.length;
  for (const [index, byte] of one.entries()) difference |= byte ^ (other[index] ?? 0);
  return difference === 0;
}
