import { fromBase64url, toBase64url } from "./base64url";

// The layout: a version byte, twelve random bytes, then the AES-256-GCM ciphertext of the text, with its tag.
const layout = 1;
const nonceBytes = 12;
const headBytes = 1 + nonceBytes;

/**
 * Encrypts a text with the first of the secrets. The result can only be opened for the same `owner`, so it is useless
 * in another row.
 */
export async function sealText(secrets: readonly string[], owner: string, text: string): Promise<string> {
  const [secret] = secrets;
  if (secret === undefined) throw new Error("There is no secret to encrypt with");
  const nonce = crypto.getRandomValues(new Uint8Array(nonceBytes));
  const algorithm = { name: "AES-GCM", iv: nonce, additionalData: utf8.encode(owner) };
  const encrypted = new Uint8Array(await crypto.subtle.encrypt(algorithm, await keyOf(secret), utf8.encode(text)));
  const sealed = new Uint8Array(headBytes + encrypted.length);
  sealed.set([layout]);
  sealed.set(nonce, 1);
  sealed.set(encrypted, headBytes);
  return toBase64url(sealed);
}

/** Returns the text, if one of the secrets encrypted it for this owner; otherwise null. */
export async function openSealedText(
  secrets: readonly string[],
  owner: string,
  written: string,
): Promise<string | null> {
  const sealed = fromBase64url(written);
  if (sealed === null || sealed.length <= headBytes || sealed[0] !== layout) return null;
  const algorithm = { name: "AES-GCM", iv: sealed.subarray(1, headBytes), additionalData: utf8.encode(owner) };
  for (const secret of secrets) {
    try {
      const opened = await crypto.subtle.decrypt(algorithm, await keyOf(secret), sealed.subarray(headBytes));
      return new TextDecoder().decode(opened);
    } catch {
      // This secret did not encrypt the text.
    }
  }
  return null;
}

const utf8 = new TextEncoder();
const keys = new Map<string, CryptoKey>();

/**
 * Returns the key of a secret, cached per isolate because secrets are few. Secrets are long and random, so a plain hash
 * is enough to derive a key.
 */
async function keyOf(secret: string): Promise<CryptoKey> {
  const known = keys.get(secret);
  if (known) return known;
  const bytes = await crypto.subtle.digest("SHA-256", utf8.encode(`sealed-text\n${secret}`));
  const key = await crypto.subtle.importKey("raw", bytes, { name: "AES-GCM" }, false, ["encrypt", "decrypt"]);
  keys.set(secret, key);
  return key;
}
