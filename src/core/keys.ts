import type { Id } from "./ids";

/** The kinds of keys: a server holds a secret key, and a browser a public one. */
export type KeyKind = "secret" | "public";

/**
 * The kinds of callers: those with a secret key, those with a public key, and people. All callers of one kind share
 * idempotency keys and a rate limit.
 */
export type CallerKind = KeyKind | "session";

/** The rights that a key can have. A `read` key is a secret key that cannot change anything. */
export const keyGrants = ["secret", "public", "read"] as const;
export type KeyGrant = (typeof keyGrants)[number];

/** The parts of a key that may be shown. */
export interface ShownKey {
  id: Id;
  kind: KeyGrant;
  name: string | null;
  prefix: string;
}

export function kindOf(grant: KeyGrant): KeyKind {
  return grant === "public" ? "public" : "secret";
}

const prefixes: Record<KeyKind, string> = { secret: "sk_", public: "pk_" };
const keyPattern = /^(sk|pk)_[0-9a-f]{64}$/;

/** Generates an API key: `sk_` or `pk_` and 32 random bytes in lower-case hex. */
export function generateKey(kind: KeyKind): string {
  return prefixes[kind] + randomHex(32);
}

const monitorPrefix = "mk_";
const monitorPattern = /^mk_[0-9a-f]{64}$/;

/** Generates a key for reading the health of the installation: `mk_` and 32 random bytes in lower-case hex. */
export function generateMonitorKey(): string {
  return monitorPrefix + randomHex(32);
}

/** Whether the text has the form of a monitor key. */
export function looksLikeMonitorKey(key: string): boolean {
  return monitorPattern.test(key);
}

/** Returns random bytes in lower-case hex. */
export function randomHex(bytes: number): string {
  return hex(crypto.getRandomValues(new Uint8Array(bytes)));
}

/** Returns the kind of a key by its prefix; null when the text does not have the form of a key. */
export function keyKind(key: string): KeyKind | null {
  if (!keyPattern.test(key)) return null;
  return key.startsWith(prefixes.secret) ? "secret" : "public";
}

/** Returns the part of a key that may be shown, so that its owner recognises it. */
export function keyPrefix(key: string): string {
  return key.slice(0, 11);
}

const utf8 = new TextEncoder();

/** Returns the SHA-256 of a key in hex. Keys have 256 random bits, so a plain hash cannot be reversed. */
export async function hashKey(key: string): Promise<string> {
  return hex(new Uint8Array(await crypto.subtle.digest("SHA-256", utf8.encode(key))));
}

/** Compares two secrets by their hashes, so that the time taken reveals nothing. */
export async function sameSecret(given: string, expected: string): Promise<boolean> {
  const [a, b] = await Promise.all([hashKey(given), hashKey(expected)]);
  let difference = 0;
  for (let i = 0; i < a.length; i++) difference |= a.charCodeAt(i) ^ b.charCodeAt(i);
  return difference === 0;
}

/**
 * Compares a text with each of several secrets, so that they can be rotated. The time taken reveals nothing about any
 * of them.
 */
export async function isOneOf(given: string, secrets: readonly string[]): Promise<boolean> {
  const matches = await Promise.all(secrets.map((secret) => sameSecret(given, secret)));
  return matches.includes(true);
}

const hexOfByte = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

function hex(bytes: Uint8Array): string {
  let digits = "";
  for (const byte of bytes) digits += hexOfByte[byte];
  return digits;
}
