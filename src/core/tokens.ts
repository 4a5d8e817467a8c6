import { parse, stringify } from "uuid";
import { fromBase64url, toBase64url } from "./base64url";
import { type Id, publicId, readId } from "./ids";

/** The purpose of a link. A token for one purpose is not valid for another. */
const purposes = { unsubscribe: 1, subscribe: 2, manage: 3, confirm: 4 } as const;
export type TokenPurpose = keyof typeof purposes;

/** The owner of a link, and the mail that contained it. */
export interface TokenSubject {
  /** The project's UUID. */
  projectId: string;
  contactId: Id;
  emailId: Id;
}

// The layout: a version byte, a purpose byte, three ids of 16 bytes, then the HMAC-SHA256 of everything before it.
const layout = 1;
const idBytes = 16;
const signedBytes = 2 + 3 * idBytes;
const macBytes = 32;
const tokenBytes = signedBytes + macBytes;

/** A link's token, signed with the first of the secrets. */
export async function signToken(
  secrets: readonly string[],
  purpose: TokenPurpose,
  { projectId, contactId, emailId }: TokenSubject,
): Promise<string> {
  const [secret] = secrets;
  if (secret === undefined) throw new Error("There is no secret to sign links with");
  const token = new Uint8Array(tokenBytes);
  token.set([layout, purposes[purpose]]);
  const uuids = [projectId, publicId(contactId), publicId(emailId)];
  for (const [index, uuid] of uuids.entries()) token.set(parse(uuid), 2 + index * idBytes);
  const mac = await crypto.subtle.sign("HMAC", await keyOf(secret), token.subarray(0, signedBytes));
  token.set(new Uint8Array(mac), signedBytes);
  return toBase64url(token);
}

/** The owner of a link, if one of the secrets signed it for this purpose; otherwise null. */
export async function readToken(
  secrets: readonly string[],
  purpose: TokenPurpose,
  written: string,
): Promise<TokenSubject | null> {
  const token = tokenOf(written);
  if (token === null || token.length !== tokenBytes) return null;
  if (token[0] !== layout || token[1] !== purposes[purpose]) return null;
  for (const secret of secrets) {
    const key = await keyOf(secret);
    // `verify` compares in constant time.
    if (await crypto.subtle.verify("HMAC", key, token.subarray(signedBytes), token.subarray(0, signedBytes))) {
      const [projectId, contactId, emailId] = [0, 1, 2].map((index) => {
        const start = 2 + index * idBytes;
        return stringify(token.subarray(start, start + idBytes));
      });
      if (!projectId || !contactId || !emailId) return null;
      return { projectId, contactId: readId(contactId), emailId: readId(emailId) };
    }
  }
  return null;
}

const keys = new Map<string, CryptoKey>();

/** Imported once per isolate: secrets are few. */
async function keyOf(secret: string): Promise<CryptoKey> {
  const known = keys.get(secret);
  if (known) return known;
  const bytes = new TextEncoder().encode(secret);
  const key = await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign", "verify"]);
  keys.set(secret, key);
  return key;
}

/** The bytes of a token; null when it cannot be one. */
function tokenOf(written: string): Uint8Array<ArrayBuffer> | null {
  // A token of 82 bytes has 110 characters; much longer texts need not be decoded.
  return written.length > 2 * tokenBytes ? null : fromBase64url(written);
}
